package io.mgtm.query.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EntryKeyTest {
  /** A server applies settings in turn, so that the last of two spellings counts. */
  @Test
  void parametersKeepTheClientsOrder() {
    List<String> sent =
        List.of("user", "database", "DateStyle", "datestyle", "session_authorization", "role");
    Map<String, String> parameters = new LinkedHashMap<>();
    sent.forEach(name -> parameters.put(name, "a value"));
    assertThat(new EntryKey(parameters, null).parameters().keySet())
        .containsExactlyElementsOf(sent);
  }
}

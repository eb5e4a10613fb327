package io.mgtm.query.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequiredSettingsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          client_encoding             | UTF8
          client_encoding             | LATIN1
          DateStyle                   | ISO, DMY
          TimeZone                    | Europe/Berlin
          TimeZone                    | <+14>-14
          TimeZone                    | CET-1CEST,M3.5.0,M10.5.0/33
          standard_conforming_strings | on
          server_version              | 15.4
          """)
  void whatServersReadAlikeIsTaken(String name, String value) {
    assertThat(RequiredSettings.refused(name, value)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          client_encoding             | SJIS     | Use UTF8.
          client_encoding             | GB18030  | Use UTF8.
          DateStyle                   | SQL, MDY | Use ISO dates
          TimeZone                    | <+15>-15 | Use ISO dates
          TimeZone                    | XXX167   | Use ISO dates
          standard_conforming_strings | off      | Use ISO dates
          """)
  void whatTheyMayReadInAnotherWayIsRefused(String name, String value, String hint) {
    var refused = RequiredSettings.refused(name, value);
    assertThat(refused.message()).isEqualTo(name + " " + value + " is not replicated");
    assertThat(refused.hint()).startsWith(hint);
  }

  @Test
  void aByteBelow128IsAsciiInWhatIsTaken() {
    assertThat(RequiredSettings.charset("utf8")).isEqualTo(StandardCharsets.UTF_8);
    assertThat(RequiredSettings.charset("WIN1252")).isEqualTo(StandardCharsets.ISO_8859_1);
    assertThat(RequiredSettings.charset("BIG5")).isNull();
  }

  @Test
  void whatTheClientLeavesOpenIsFixed() {
    Map<String, String> parameters = new HashMap<>(Map.of("extra_float_digits", "3"));
    assertThat(RequiredSettings.fix(parameters)).isNull();
    assertThat(parameters)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("extra_float_digits", "3", "array_nulls", "on", "xmloption", "content"));
  }

  @ParameterizedTest
  @CsvSource({
    "extra_float_digits, 0",
    "Array_Nulls, on",
    "options, -c xmloption=content",
    "options, -c transaction_timeout=5",
    "TRANSACTION_TIMEOUT, 5",
    "options, -c session_replication_role=replica",
    "session_replication_role, origin",
    "options, -c SESSION_REPLICATION_ROLE=replica",
    "options, -c session-replication-role=replica",
    "options, -c session_repl\\ication_role=replica",
    "options, --lc-monetary=C",
    "transform_null_equals, on",
    "standard_conforming_strings, off"
  })
  void whatItSetsItselfIsRefused(String name, String value) {
    assertThat(RequiredSettings.fix(new HashMap<>(Map.of(name, value))).sqlState())
        .isEqualTo("0A000");
  }
}

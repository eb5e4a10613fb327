package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceCallsTest {
  private static Statement of(String sql) throws SqlException {
    List<Statement> all = ClassifierTest.classifier().statements(sql);
    return all.get(all.size() - 1);
  }

  @Test
  void callsAreSeenHoweverTheyNameTheSequence() throws SqlException {
    for (String call :
        List.of(
            "nextval('a')",
            "\"nextval\"($1)",
            "pg_catalog.nextval(f('a'))",
            "NEXTVAL (('a' || n)::regclass)",
            "1 + setval('a', 1)")) {
      assertThat(of("select 1; select " + call + " from a").draws()).as(call).isTrue();
    }
    assertThat(of("select app.nextval('a'), nextval, 'nextval(''a'')'").draws()).isFalse();
  }

  @Test
  void callsThatSetAreToldApart() throws SqlException {
    assertThat(of("select SETVAL($1, nextval('s') + 1, false)").setsSequences()).isTrue();
    assertThat(of("select nextval('setval(')").setsSequences()).isFalse();
  }
}

package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.sql.Statement.Draw;
import java.util.List;
import org.junit.jupiter.api.Test;

class SequenceCallsTest {
  private static List<Draw> of(String sql) throws SqlException {
    List<Statement> all = ClassifierTest.classifier().statements(sql);
    return all.get(all.size() - 1).sequences();
  }

  @Test
  void namesAreTheTextsOfTheCalls() throws SqlException {
    assertThat(of("  select nextval( 'a''b'::regclass ), \"nextval\"($$c$$)"))
        .containsExactly(new Draw("'a''b'::regclass", false), new Draw("$$c$$", false));
    assertThat(of("select 1; insert into a values (pg_catalog.nextval('x.\"Y\"'), lastval())"))
        .containsExactly(new Draw("'x.\"Y\"'", false));
    assertThat(of("select SETVAL(pg_get_serial_sequence('t', 'id'), nextval('s') + 1, false)"))
        .containsExactly(
            new Draw("pg_get_serial_sequence('t', 'id')", true), new Draw("'s'", false));
  }

  @Test
  void namesAreOfTheStatementThoughOthersAreLikeIt() throws SqlException {
    Shapes known = new Shapes();
    Classifier classifier = ClassifierTest.classifier();
    for (String name : List.of("'a'", "'bcd'", "'e'")) {
      Statement one = classifier.statements("select nextval(" + name + ")", known).get(0);
      assertThat(one.sequences()).containsExactly(new Draw(name, false));
    }
  }

  @Test
  void whatIsNoConstantNamesNone() throws SqlException {
    for (String argument :
        List.of("$1", "'a' || 'b'", "s", "f('a')", "'a', 'b'", "'a'::dom", "('a')", "")) {
      assertThat(of("select nextval(" + argument + ") from a")).as(argument).isEmpty();
    }
    assertThat(of("select app.nextval('a'), nextval, 'nextval(''a'')'")).isEmpty();
  }
}

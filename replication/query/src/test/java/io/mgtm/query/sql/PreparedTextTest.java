package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreparedTextTest {
  private static Statement statement(String sql) throws SqlException {
    return ClassifierTest.classifier().statements(sql).get(0);
  }

  private static String executed(String prepare, String execute) throws SqlException {
    return PreparedText.of(statement(prepare)).with(statement(execute));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          prepare p as select 1 | execute p | select 1
          prepare p as select $1, '$1' -- $1 | execute p(2) | select '2', '$1'
          prepare p (int, pg_catalog.oid) as update a set n = $1 where id = $2; | execute p(-1, '7') | update a set n = (CAST(-1 AS int)) where id = (CAST('7' AS pg_catalog.oid))
          prepare p (numeric(10, 2)[], timestamp with time zone) as values ($2, $1, $1) | execute p(null, E'\\x') | values ((CAST(E'\\x' AS timestamp with time zone)), (CAST(null AS numeric[])), (CAST(null AS numeric[])))
          prepare "P q" as delete from a where id = $1 | execute "P q" (- 2.5) | delete from a where id = '-2.5'
          prepare p (int) as delete from a where id = $1 | execute p('1'::int8) | delete from a where id = (CAST('1'::int8 AS int))
          prepare p as select 'a' $1, $2 | execute p('b', true) | select 'a' ('b'), 'true'
          prepare p as (select $1) | explain (costs off, analyze) execute p(1) | explain (costs off, analyze) (select '1')
          prepare p as table a | explain verbose execute p | explain verbose table a
          """)
  void valuesTakeThePlaceOfParameters(String prepare, String execute, String expected)
      throws SqlException {
    assertThat(executed(prepare, execute)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "execute p",
        "execute p(1, 2)",
        "execute p(random())",
        "execute p(1) q",
        "execute p(1",
        "execute p(1 + 1)",
        "execute p(-'x')",
        "execute p((select 1))",
        "execute p('1'::int)",
      })
  void whatIsNoConstantForEachIsRefused(String execute) {
    assertThatThrownBy(() -> executed("prepare p as select $1", execute))
        .isInstanceOf(SqlException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "prepare p",
        "prepare p as",
        "prepare p as create table t (id int)",
        "prepare p (1) as select 1",
        "prepare p (int as select 1",
        "prepare 'p' as select 1",
        "prepare p (int) as select $1, $2",
        "prepare p as select $0",
      })
  void whatIsNoStatementIsNotPrepared(String prepare) {
    assertThatThrownBy(() -> PreparedText.of(statement(prepare))).isInstanceOf(SqlException.class);
  }

  @Test
  void declaredParameterNeedNotBeUsed() throws SqlException {
    assertThat(executed("prepare p (int, text) as select $2", "execute p(1, 'x')"))
        .isEqualTo("select (CAST('x' AS text))");
    assertThatThrownBy(() -> executed("prepare p (int) as select $2", "execute p(1)"))
        .isInstanceOf(SqlException.class);
  }

  /** PREPARE knows the type alone, and not what limits it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          varchar(2)                    | varchar
          char(3)                       | pg_catalog.bpchar
          character varying (7)         | varchar
          national character(2)[]       | pg_catalog.bpchar[]
          bit                           | pg_catalog."bit"
          bit varying(3)                | varbit
          interval day to second (2)    | interval
          timestamp (3) with time zone  | timestamp with time zone
          numeric(3, 1) [5][]           | numeric[][]
          app."Mood"                    | app."Mood"
          double precision              | double precision
          """)
  void typesHaveNoLimits(String type, String expected) throws SqlException {
    assertThat(executed("prepare p (" + type + ") as select $1", "execute p('1')"))
        .isEqualTo("select (CAST('1' AS " + expected + "))");
  }

  @ParameterizedTest
  @ValueSource(strings = {"$0", "$99999999999999", "$2"})
  void parameterThatThereIsNotIsRefused(String parameter) {
    assertThatThrownBy(() -> executed("prepare p (int) as select " + parameter, "execute p(1)"))
        .isInstanceOf(SqlException.class);
  }

  @Test
  void valuesDoNotMakeATextOfAnyLength() throws SqlException {
    String many = "prepare p as select " + "$1, ".repeat(5_000) + "1";
    String large = "execute p('" + "x".repeat(10_000) + "')";
    assertThatThrownBy(() -> executed(many, large)).hasMessageContaining("longer than");
  }
}

package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {
  private static Statement statement(String sql) throws SqlException {
    return ClassifierTest.classifier().statements(sql).get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          select pg_catalog.set_config('a', $1, false) as x, current_setting('b') | SESSION
          select set_config(name, E'\\n', false) from pg_settings where name = 'a' | SESSION
          select set_config(name, 'b', false) from pg_settings | REFUSED
          select set_config('a', random()::text, true) | REFUSED
          select set_config('a', 'b', true), n from a | REFUSED
          """)
  void callsByThemselvesAreOfTheSession(String sql, StatementClass expected) {
    assertThat(ClassifierTest.classify(sql).statementClass()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "set standard_conforming_strings = on",
        "set local standard_conforming_strings to 'TRUE'",
        "set xmloption = content",
        "set extra_float_digits to 3",
        "set session array_nulls = on",
        "set transaction_timeout = 0",
        "set transaction_timeout to default",
        "set datestyle = ISO, DMY",
        "set application_name = 'xmloption'",
        "set transaction isolation level repeatable read, read only",
        "reset xmloption",
        "set transaction isolation level serializable",
        "set session characteristics as transaction isolation level serializable",
      })
  void whatServersNeedIsSet(String sql) throws SqlException {
    assertThat(Refusal.of(statement(sql))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "set standard_conforming_strings = off",
        "set \"Standard_Conforming_Strings\" = off",
        "set standard_conforming_strings = E'o\\x6e'",
        "set xmloption = document",
        "set xml option document",
        "set \"XMLOPTION\" = document",
        "set extra_float_digits = 0",
        "set array_nulls to default",
        "set session_replication_role = replica",
        "set transaction_timeout = 5",
        "set datestyle = SQL",
        "set transaction_read_only = on",
      })
  void whatWouldMakeThemDifferIsNot(String sql) throws SqlException {
    Refusal refusal = Refusal.of(statement(sql));
    assertThat(refusal).isNotNull();
    assertThat(refusal.sqlState()).isEqualTo("0A000");
    assertThat(refusal.hint()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "search_path, x",
    "XmlOption, CONTENT",
    "jit, off",
    "DateStyle, 'ISO, DMY'",
    "a.b, ",
    "default_transaction_isolation, SERIALIZABLE"
  })
  void whatServersNeedIsSetByAFunction(String name, String value) {
    assertThat(Refusal.of(name, value)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "xmloption, document",
    "xmloption, ",
    "Array_Nulls, off",
    "standard_conforming_strings, off",
    "transaction_isolation, repeatable read",
    "transaction_read_only, on",
    "transaction_timeout, 1s",
    "session_replication_role, replica",
    "datestyle, german",
    "lc_monetary, C",
  })
  void whatWouldMakeThemDifferIsNotSetByOne(String name, String value) {
    assertThat(Refusal.of(name, value)).isNotNull();
  }

  @Test
  void callsHaveTheirParameters() throws SqlException {
    String sql =
        "/* c */ select set_config('it''s', $2::text, $1), pg_catalog.set_config($2, null, false)";
    List<Setting> calls = statement(sql).settings();
    List<String> parameters = Arrays.asList("true", "a\\'b");
    assertThat(calls).hasSize(2);
    assertThat(calls.get(0).name().value(parameters)).isEqualTo("it's");
    assertThat(calls.get(0).sql(parameters))
        .isEqualTo("pg_catalog.set_config('it''s',  E'a\\\\''b', 'true')");
    assertThat(calls.get(1).sql(Arrays.asList("false", null)))
        .isEqualTo("pg_catalog.set_config(NULL, null, false)");
  }

  @Test
  void settingThatAServerMayNotKnowIsNamedOnce() throws SqlException {
    String sql = "select set_config(name, 'v', false) from pg_catalog.pg_settings where name = 's'";
    assertThat(statement(sql).settings().get(0).sql(List.of()))
        .isEqualTo(
            "(SELECT pg_catalog.set_config(name, 'v', false) FROM pg_catalog.pg_settings WHERE name = 's')");
  }
}

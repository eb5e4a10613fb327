package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumbersTest {
  private static final Catalogue.Column INT =
      new Catalogue.Column(true, true, Catalogue.Fill.NULL, false, Catalogue.Input.SAME);
  private static final Catalogue.Column TEXT =
      new Catalogue.Column(true, false, Catalogue.Fill.NULL, false, Catalogue.Input.SAME);

  private static final Classifier CLASSIFIER =
      new Classifier(
          new Catalogue(
              Set.of(),
              Set.of(),
              Set.of("=", "+", "-", "*", "<"),
              Set.of(),
              Set.of(),
              Map.of(
                  "t",
                  List.of(table("s", "id", INT)),
                  "named",
                  List.of(table("public", "name", TEXT))),
              false,
              false));

  private static Catalogue.Table table(String schema, String key, Catalogue.Column type) {
    return new Catalogue.Table(
        schema,
        Map.of(key, type, "n", INT, "m", INT, "b", TEXT),
        List.of(key),
        Catalogue.Writes.PLAIN,
        false,
        true,
        true);
  }

  private static Numbers numbers(String sql) throws SqlException {
    return CLASSIFIER.statements(sql).get(0).numbers();
  }

  @Test
  void numbersOfAnUpdateByItsKeyAreParameters() throws SqlException {
    Numbers numbers =
        numbers("/* x */ UPDATE t SET n = n + -12*(m-3), m = NULL WHERE id =007 -- end");
    assertThat(numbers.sql()).isEqualTo("UPDATE t SET n = n + -$1*(m-$2), m = NULL WHERE id =$3");
    assertThat(numbers.othersSql())
        .isEqualTo("UPDATE \"s\".t SET n = n + -$1*(m-$2), m = NULL WHERE id =$3");
    assertThat(numbers.values()).containsExactly("12", "3", "007");
  }

  @Test
  void theTextIsTheSameForAllNumbers() throws SqlException {
    assertThat(numbers("delete from s.t where id = 1").sql())
        .isEqualTo(numbers("delete from s.t where id = 999999999").sql())
        .isEqualTo("delete from s.t where id = $1");
  }

  @Test
  void numbersOfAQueryByItsKeyAreParameters() throws SqlException {
    Numbers numbers = numbers("select n, b as \"from\" from s.t where id = -12");
    assertThat(numbers.sql())
        .isEqualTo(numbers.othersSql())
        .isEqualTo("select n, b as \"from\" from s.t where id = -$1");
    assertThat(numbers.values()).containsExactly("12");
  }

  @Test
  void numbersOfAnInsertAreParameters() throws SqlException {
    assertThat(numbers("insert into t (id, n) values (1, -2), (3, null)").othersSql())
        .isEqualTo("insert into \"s\".t (id, n) values ($1, -$2), ($3, null)");
    Numbers rows =
        numbers("insert into t (id, n, b) values (1, +22, current_user), (3, 4, (user))");
    assertThat(rows.sql())
        .startsWith(
            "insert into t (id, n, b) values ($1, +$2, current_user), ($3, $4, (user)) RET");
    assertThat(rows.values()).containsExactly("1", "22", "3", "4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update t set n = 1.0 where id = 1",
        "update t set n = 1e3 where id = 1",
        "update t set n = 1000000000 where id = 1",
        "update t set n = n + 2147483648 where id = 1",
        "update t set n = '1' where id = 1",
        "update t set n = true where id = 1",
        "update t set n = $1 where id = 1",
        "update t set b = 1 where id = 1",
        "update named set n = 1 where name = 5",
        "update t set n = 0x1F where id = 1",
        "update t set n = 1 where id < 5",
        "update t set n = 1 where id = 1 returning 1",
        "insert into t (id, n, b) values (1, 2, 3)",
        "insert into t (id, n, b) values (1, 2, 'x')",
        "insert into t (id, n, b) values (1, 2, $1)",
        "insert into t (id, n) values (1, 2 + 2)",
        "insert into t (id, n) values (1, - - 2)",
        "insert into t (id, n) values (1, (2))",
        "insert into t (id, n) values (1, abs(2))",
        "insert into t (id, n) values (1, 2::smallint)",
        "insert into t (id, n) values (1, 1000000000)",
        "insert into t (id, n) values (1, 2, 3)",
        "insert into t (id) values (1, 2)",
        "insert into t (id, n) values (1, 2) returning 1",
        "insert into t (id, n) values (1, 2) on conflict do nothing",
        "insert into t values (1, 2)",
        "insert into t (id, n) select 1, 2",
        "insert into t default values",
        "select * from t where id = 1",
        "select n, 1 from t where id = 1",
        "select n from t where id = 1 limit 1",
        "select n from t where id = 1 for update",
        "select n from t where id = 1 and id = 1",
        "select n from t where n = 1",
        "select n from t where id = '1'",
        "select n from t where id = 1000000000",
        "select n from t as u where id = 1",
        "select n from x.t where id = 1",
        "select b from named where name = 5",
        "select n from unknown where id = 1",
        "select from",
        "explain select n from t where id = 1",
      })
  void whatMayBeOfAnotherTypeOrDoesMoreStaysATextOfItsOwn(String sql) throws SqlException {
    assertThat(numbers(sql)).isNull();
  }
}

package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that are nested far deeper than a stack of calls would be. */
class DeepStatementsTest {
  private static final int DEPTH = 20_000;

  /** What opens, and what closes it. */
  private static final List<List<String>> NESTED =
      List.of(
          List.of("(", ")"),
          List.of("(1 + ", ")"),
          List.of("- ", ""),
          List.of("not ", ""),
          List.of("case when ", " then 1 end"),
          List.of("(select ", ")"),
          List.of("array[", "]"),
          List.of("a[", "]"),
          List.of("abs(", ")"),
          List.of("/* ", " */ 1"),
          List.of("n::int + (", ")"),
          List.of("(values (", "))"));

  private static final Catalogue.Column INT =
      new Catalogue.Column(true, true, Catalogue.Fill.NULL, false, Catalogue.Input.SAME);

  private static final Catalogue CATALOGUE =
      new Catalogue(
          Set.of("abs"),
          Set.of("abs"),
          Set.of("=", "+", "-", "*"),
          Set.of(),
          Set.of(),
          Map.of(
              "t",
              List.of(
                  new Catalogue.Table(
                      "public",
                      Map.of("id", INT, "n", INT),
                      List.of("id"),
                      Catalogue.Writes.PLAIN,
                      false,
                      true,
                      true))),
          false,
          false);

  private static List<Statement> read(String sql) throws SqlException {
    List<Statement> statements = new Classifier(CATALOGUE).statements(sql);
    for (Statement statement : statements) {
      Refusal.of(statement);
      statement.numbers();
    }
    return statements;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select %s",
        "select n from t where id = %s",
        "update t set n = %s where id = 1",
        "update t set n = 1 where id = %s",
        "delete from t where %s",
        "insert into t (id, n) values (1, %s)",
        "insert into t (id, n) values (1, 2) on conflict (id) do update set n = %s",
        "with w as (select %s) update t set n = 1",
        "explain select %s",
        "explain analyze select %s",
        "declare c cursor for select %s",
        "copy (select %s) to stdout",
        "create table made (n int check (%s))",
        "alter table t add check (%s)",
        "alter table t alter n set default %s",
        "create view v as select %s",
        "create index on t ((%s))",
        "call p(%s)",
        "set x = %s",
        "lock %s",
      })
  void eachIsReadToItsEnd(String form) throws SqlException {
    for (List<String> one : NESTED) {
      String nested = one.get(0).repeat(DEPTH) + "1" + one.get(1).repeat(DEPTH);
      assertThat(read(form.formatted(nested))).as("%s of %s", form, one).hasSize(1);
    }
  }

  @Test
  void deepSumsAreKeyLocal() throws SqlException {
    String sum = "(".repeat(DEPTH) + "n" + " + 1)".repeat(DEPTH);
    assertThat(read("update t set n = " + sum + " where id = 1").get(0).statementClass())
        .isEqualTo(StatementClass.KEY_LOCAL);
    for (String other : List.of("(" + sum, sum + ")", sum + " + ()", "(+ " + sum + ")")) {
      assertThat(read("update t set n = " + other + " where id = 1").get(0).statementClass())
          .as(other.substring(0, 5))
          .isNotEqualTo(StatementClass.KEY_LOCAL);
    }
  }

  @Test
  void whateverIsMixedIsReadOrRefused() {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 100; round++) {
      StringBuilder open = new StringBuilder();
      StringBuilder close = new StringBuilder();
      for (int i = 0; i < 10; i++) {
        List<String> one = NESTED.get(random.nextInt(NESTED.size()));
        int deep = random.nextInt(2_000);
        open.append(one.get(0).repeat(deep));
        close.insert(0, one.get(1).repeat(random.nextInt(5) == 0 ? deep / 2 : deep));
      }
      String sql = "update t set n = " + open + "n" + close + " where id = 1";
      try {
        read(sql);
      } catch (SqlException e) {
        assertThat(e).as("seed %d", seed).hasMessageContaining("comment");
      }
    }
  }
}

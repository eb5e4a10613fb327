package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowWriteTest {
  private static final Catalogue.Column INT =
      new Catalogue.Column(true, true, Catalogue.Fill.NULL, false, Catalogue.Input.SAME);
  private static final Catalogue.Column MADE =
      new Catalogue.Column(true, true, Catalogue.Fill.COMPUTED, true, Catalogue.Input.SAME);

  private static RowWrite write(String sql) throws SqlException {
    return write(sql, Catalogue.Writes.PLAIN);
  }

  private static RowWrite write(String sql, Catalogue.Writes writes) throws SqlException {
    return new Classifier(catalogue(writes)).statements(sql).get(0).write();
  }

  private static Catalogue catalogue(Catalogue.Writes writes) {
    Catalogue.Table table =
        new Catalogue.Table(
            "s",
            Map.of("id", INT, "n", INT, "A b", INT, "made", MADE),
            List.of("id"),
            writes,
            false,
            true,
            true);
    return new Catalogue(
        Set.of(),
        Set.of(),
        Set.of("=", "*"),
        Set.of(),
        Set.of(),
        Map.of("t", List.of(table)),
        false,
        false);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          insert into t values (1) -- all    | insert into t values (1) RETURNING "t"."id", "t"."A b", "t"."n"
          insert into s.t as x values (1);   | insert into s.t as x values (1) RETURNING "x"."id", "x"."A b", "x"."n"
          insert into t values (1) returning n | insert into t values (1) returning n, "t"."id", "t"."A b", "t"."n"
          update t y set n = 1               | update t y set n = 1 RETURNING "y"."id", "y"."A b", "y"."n"
          update only t as "Y" set n = 1     | update only t as "Y" set n = 1 RETURNING "Y"."id", "Y"."A b", "Y"."n"
          update t * set n = 1               | update t * set n = 1 RETURNING "t"."id", "t"."A b", "t"."n"
          delete from t                      | delete from t RETURNING "t"."id"
          delete from t d using t where d.n = 1 | delete from t d using t where d.n = 1 RETURNING "d"."id"
          """)
  void theLeaderReturnsTheColumnsOfTheTargetThatCanBeWritten(String sql, String expected)
      throws SqlException {
    assertThat(write(sql).leaderSql()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          insert into t values (1) | INSERT INTO "s"."t" ("id", "A b", "n") OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3)
          insert into t values (1) on conflict (id) do update set n = 2 | INSERT INTO "s"."t" AS kept ("id", "A b", "n") OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3) ON CONFLICT ("id") DO UPDATE SET "A b" = EXCLUDED."A b", "n" = EXCLUDED."n"
          update t set n = 1       | UPDATE ONLY "s"."t" SET "A b" = $2, "n" = $3 WHERE "id" OPERATOR(pg_catalog.=) $1
          delete from t            | DELETE FROM ONLY "s"."t" WHERE "id" OPERATOR(pg_catalog.=) $1
          """)
  void theOthersWriteTheRowByItsKey(String sql, String expected) throws SqlException {
    assertThat(write(sql).effectSql()).isEqualTo(expected);
  }

  /** What was learnt of one statement is used for others that differ in constants alone. */
  @Test
  void eachStatementOfOneShapeHasItsOwnText() throws SqlException {
    Classifier classifier = new Classifier(catalogue(Catalogue.Writes.PLAIN));
    Shapes known = new Shapes();
    RowWrite one = classifier.statements("update t set n = 1 where id = 2", known).get(0).write();
    Statement second =
        classifier
            .statements("begin; /* b */ update  t set n = 34 where id = 56 ; end", known)
            .get(1);
    assertThat(second.text()).isEqualTo("update  t set n = 34 where id = 56");
    RowWrite other = second.write();
    assertThat(other.leaderSql())
        .isEqualTo(second.text() + " RETURNING \"t\".\"id\", \"t\".\"A b\", \"t\".\"n\"");
    assertThat(other.othersSql()).isEqualTo("update  \"s\".t set n = 34 where id = 56");
    assertThat(one.othersSql()).isEqualTo("update \"s\".t set n = 1 where id = 2");
    assertThat(other.effectSql()).isEqualTo(one.effectSql());
  }

  @Test
  void whereTriggersMayChangeTheKeyTheRowTellsWhetherItWasThere() throws SqlException {
    RowWrite update = write("update t y set n = 1", Catalogue.Writes.KEY_TRIGGERS);
    assertThat(update.leaderSql())
        .isEqualTo(
            "update t y set n = 1 RETURNING \"y\".\"id\", \"y\".\"A b\", \"y\".\"n\", EXISTS (SELECT FROM"
                + " ONLY \"s\".\"t\" AS \"mgtm old\" WHERE \"mgtm old\".\"id\" OPERATOR(pg_catalog.=)"
                + " \"y\".\"id\" AND pg_catalog.record_image_eq(ROW(\"mgtm old\".\"id\"), ROW(\"y\".\"id\")))");
    assertThat(update.added()).isEqualTo(4);
    assertThat(write("insert into t values (1)", Catalogue.Writes.KEY_TRIGGERS).keyTold())
        .isFalse();
  }
}

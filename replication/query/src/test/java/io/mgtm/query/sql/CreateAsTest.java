package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CreateAsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          create table t as select n, 'now'::timestamp from a | CREATE_AS
          create table t as (select n from a) with data | CREATE_AS
          create table t as table a              | CREATE_AS
          create table t as values (1), (2)      | CREATE_AS
          create table t as with q as (select 1) select * from q | CREATE_AS
          create table t (a, b) as select random(), now() from a limit 3 | CREATE_AS
          create table if not exists app.t with (fillfactor = 70) tablespace x as select session_user | CREATE_AS
          create table t using heap as select oid, relname from pg_class | CREATE_AS
          create table t as select $1 as n       | CREATE_AS
          create table t as select myfn(n) from a | REFUSED
          create table t as select n from view   | REFUSED
          create table t as select n @@ n from a | REFUSED
          create table t as select nextval('s')  | CREATE_AS
          create table t as select pg_notify('a', 'b') | REFUSED
          create table t as select n from a for update | REFUSED
          create table t as with d as (delete from a returning n) select n from d | REFUSED
          create table t as select myfn(n) from view with no data | CREATE_AS
          create table t as select 1 as no with data | CREATE_AS
          create table t as execute p            | REFUSED
          create table t as execute p with no data | REFUSED
          create table d.app.t as select 1       | REFUSED
          create unlogged table t as select 1    | REFUSED
          create temp table t as select 1        | TEMPORARY
          create materialized view t as select 1 | REFUSED
          explain analyze create table t as select 1 | CAPTURED
          select n into t from a                 | CREATE_AS
          select n into table app.t from a union select 2 order by 1 | CREATE_AS
          with q as (select 1 as n) select n into t from q | CREATE_AS
          select 1 as into, 2 as x into t        | CREATE_AS
          select myfn(n) into t from a           | REFUSED
          select n into t from a for update      | REFUSED
          select n into unlogged t from a        | UNKNOWN
          select n into d.app.t from a           | UNKNOWN
          select 1 as into from a                | UNKNOWN
          select a.into from a                   | UNKNOWN
          (select n into t from a)               | UNKNOWN
          with d as (delete from a returning n) select n into t from d | CAPTURED
          declare c cursor for select n into t from a | UNKNOWN
          """)
  void classes(String sql, StatementClass expected) {
    Classification got = ClassifierTest.classify(sql);
    assertThat(got.statementClass()).as("%s: %s", sql, got.why()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          create table t as select 1 as n | CREATE TABLE "s"."t" ("n" int)
          /* x */ create table if not exists App.T (n) as (select 1) with no data | CREATE TABLE IF NOT EXISTS "s"."t" ("n" int)
          select 1; create table t (n) using heap /* a */ with (fillfactor = '70') tablespace "x as" as select 1 | CREATE TABLE "s"."t" ("n" int) using heap /* a */ with (fillfactor = '70') tablespace "x as"
          select 1 as n into t            | CREATE TABLE "s"."t" ("n" int)
          """)
  void definitions(String sql, String expected) throws SqlException {
    var all = ClassifierTest.classifier().statements(sql);
    Statement last = all.get(all.size() - 1);
    assertThat(CreateAs.of(last).definition(last.text(), "\"s\".\"t\"", "\"n\" int"))
        .isEqualTo(expected);
  }

  @Test
  void answersTellWhatWasDone() throws SqlException {
    CreateAs made = of("create table if not exists \"A b\".\"T\" as select 1");
    assertThat(made.schema()).isEqualTo("A b");
    assertThat(made.table()).isEqualTo("T");
    assertThat(made.isSkipped("SELECT 0")).isFalse();
    assertThat(made.isSkipped("CREATE TABLE AS")).isTrue();
    assertThat(
            of("create table if not exists t as select 1 with no data")
                .isSkipped("CREATE TABLE AS"))
        .isFalse();
    assertThat(of("select 1 as n into T").table()).isEqualTo("t");
    assertThat(of("select 1 as n into T").schema()).isNull();
    assertThat(CreateAs.rows("SELECT 12")).isEqualTo(12);
    assertThat(CreateAs.rows("CREATE TABLE AS")).isZero();
    assertThat(
            CreateAs.of(ClassifierTest.classifier().statements("create table t (id int)").get(0)))
        .isNull();
  }

  private static CreateAs of(String sql) throws SqlException {
    return CreateAs.of(ClassifierTest.classifier().statements(sql).get(0));
  }
}

package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The class of a statement follows from what its names mean to its session. */
class TemporariesTest {
  private static final Catalogue.Column INT =
      new Catalogue.Column(true, true, Catalogue.Fill.NULL, false, Catalogue.Input.SAME);

  /** {@code item} is permanent, and temporary too; {@code log} is permanent alone. */
  private static Classifier permanent() {
    Catalogue.Table table =
        new Catalogue.Table(
            "public",
            Map.of("id", INT, "n", INT),
            List.of("id"),
            Catalogue.Writes.PLAIN,
            false,
            true,
            true);
    return new Classifier(
        new Catalogue(
            Set.of("abs", "count"),
            Set.of("abs", "count", "random", "nextval", "lo_create"),
            Set.of("=", "+", "*", ">"),
            Set.of("myfn", "items"),
            Set.of("tmp_seq"),
            Map.of("item", List.of(table), "log", List.of(table)),
            false,
            false));
  }

  private static Temporaries temporaries(boolean first, boolean emptied) {
    Temporaries.Relation table = new Temporaries.Relation(true, false, false);
    return new Temporaries(
        Map.of(
            "item",
            table,
            "tmp",
            table,
            "refers",
            new Temporaries.Relation(true, false, true),
            "coded",
            new Temporaries.Relation(false, false, false),
            "seen",
            new Temporaries.Relation(false, true, false)),
        first,
        emptied);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          insert into item values (1, 2)                            | TEMPORARY
          insert into item (id, n) select id, random() from log     | TEMPORARY
          insert into tmp values (1) on conflict do nothing         | TEMPORARY
          insert into tmp values (1) on conflict (id) do update set n = 1 | TEMPORARY
          update tmp set n = 1                                      | TEMPORARY
          delete from only tmp using log where log.id = tmp.id      | TEMPORARY
          delete from pg_temp.tmp                                   | TEMPORARY
          delete from pg_temp.unheard                               | CAPTURED
          merge into tmp using log on true when not matched then insert (id) values (1) | TEMPORARY
          merge into log using tmp on true when matched then delete | CAPTURED
          copy item from stdin                                      | TEMPORARY
          copy pg_temp.tmp (id) from stdin                          | TEMPORARY
          copy coded from stdin                                     | REFUSED
          copy log from stdin                                       | COPY_FROM
          copy tmp to stdout                                        | LEADER
          copy log to stdout                                        | COPY_TO
          insert into tmp select myfn(id) from log                  | CAPTURED
          insert into tmp select id from items                      | CAPTURED
          insert into tmp select id from seen                       | CAPTURED
          insert into tmp select nextval('q')                       | TEMPORARY
          insert into coded values (1)                              | CAPTURED
          insert into seen values (1)                               | CAPTURED
          with d as (delete from tmp returning id) insert into log select id, 1 from d | CAPTURED
          insert into tmp select id from log where exists (delete from log) | CAPTURED
          insert into public.item values (1, 2)                     | ROWS
          insert into public.item (id, n) values (1, 2)             | KEY_LOCAL
          update public.item set n = 1 where id = 1                 | KEY_LOCAL
          insert into log values (1, 2)                             | ROWS
          insert into log (id, n) values (1, 2)                     | KEY_LOCAL
          insert into log (id, n) select id, n from tmp             | ROWS
          insert into log (id, n) select id, n from seen            | CHECKED_ROWS
          update log set n = tmp.n from tmp where tmp.id = log.id   | ROWS
          select n from log where id = 1                            | READ
          select n from public.item where id = 1                    | READ
          select n from item where id = 1                           | LEADER
          table tmp                                                 | LEADER
          select count(*) from log where id in (select id from tmp) | LEADER
          select * from pg_temp.unheard                             | UNPROVEN_READ
          select id from seen                                       | UNPROVEN_READ
          select id from seen for update                            | UNPROVEN_READ
          select myfn(id) from tmp                                  | UNPROVEN_READ
          select has_table_privilege('tmp', 'select')               | UNPROVEN_READ
          explain select n from item                                | LEADER
          explain select id from seen                               | UNPROVEN_READ
          declare c cursor for select id from tmp                   | LEADER
          declare c cursor for select id from seen                  | UNKNOWN
          set constraints all deferred                              | SESSION
          set constraints some deferred                             | REFUSED
          """)
  void whatIsNamed(String sql, StatementClass expected) {
    assertThat(permanent().with(temporaries(true, false)).classify(sql).statementClass())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          create temp table t (id int)                              | TEMPORARY
          create local temporary table if not exists t (id int)     | TEMPORARY
          create table pg_temp.t (id int)                           | TEMPORARY
          create temp table t (like log including all) on commit drop | TEMPORARY
          create temp table t as select id from log                 | TEMPORARY
          create temp table t as select myfn(id) from log           | REFUSED
          create temp table t as select myfn(id) from log with no data | TEMPORARY
          create temp table t as select lo_create(id) from log      | REFUSED
          create temp table t as with d as (delete from log returning id) select id from d | REFUSED
          create temp table t as execute p                          | REFUSED
          create temp table t () inherits (log)                     | REFUSED
          create temp table t () inherits (tmp, pg_temp.item)       | TEMPORARY
          create temp table t () inherits (tmp, log)                | REFUSED
          create temp table t of pair                               | REFUSED
          create temp table t partition of tmp for values in (1)    | TEMPORARY
          create temp table t (id int references tmp)               | TEMPORARY
          create temp table t (id int) on commit delete rows        | REFUSED
          create temp view v as select myfn(id) from tmp            | TEMPORARY
          create or replace temp view v as select id from tmp       | TEMPORARY
          create temp sequence s                                    | TEMPORARY
          create temp function f() returns int language sql as ''   | REFUSED
          select id into temp t from log                            | TEMPORARY
          select id into pg_temp.t from log                         | TEMPORARY
          select myfn(id) into temp t from log                      | REFUSED
          select id into t from log                                 | CREATE_AS
          select id into tmp from log                               | CREATE_AS
          create table tmp as select id from log                    | CREATE_AS
          create table t as select id, 'tmp' as of from item        | CREATE_AS
          create table t as select id from seen                     | REFUSED
          create table pg_temp.t as select id from log              | TEMPORARY
          create view v as select id from tmp                       | REFUSED
          create view v as select id from log                       | DDL
          create table t (like tmp)                                 | REFUSED
          create table t (id int)                                   | DDL
          create index on tmp (id)                                  | TEMPORARY
          create unique index if not exists i on only pg_temp.tmp (id) | TEMPORARY
          create index on tmp (myfn(id))                            | REFUSED
          create index on log (id)                                  | DDL
          alter table tmp add column m int default 1                | TEMPORARY
          alter table if exists only tmp rename to other            | TEMPORARY
          alter table tmp inherit log                               | REFUSED
          alter table tmp add column m int default myfn(1)          | REFUSED
          alter table log add column m int                          | DDL
          drop table tmp                                            | TEMPORARY
          drop table if exists tmp, pg_temp.gone cascade            | TEMPORARY
          drop table tmp, log                                       | REFUSED
          drop table log                                            | DDL
          drop table public.item                                    | DDL
          truncate tmp, item                                        | TEMPORARY
          truncate table only tmp *, item restart identity          | TEMPORARY
          truncate tmp, log                                         | REFUSED
          truncate log                                              | DDL
          comment on table tmp is 'x'                               | TEMPORARY
          comment on column pg_temp.tmp.id is 'x'                   | TEMPORARY
          comment on column tmp.id is 'x'                           | TEMPORARY
          comment on column log.id is 'x'                           | DDL
          analyze tmp                                               | TEMPORARY
          analyze tmp (id), item                                    | TEMPORARY
          vacuum (full, analyze) tmp                                | TEMPORARY
          vacuum full analyze tmp                                   | TEMPORARY
          analyze tmp, log                                          | REFUSED
          analyze                                                   | MAINTENANCE
          vacuum log                                                | MAINTENANCE
          alter table log alter n set default nextval('tmp')        | REFUSED
          alter table log alter n set default nextval('pg_temp."TMP"') | REFUSED
          alter table log alter n set default nextval('tmp_seq')    | DDL
          comment on table log is 'as tmp'                          | DDL
          grant select on tmp to public                             | REFUSED
          grant select on log to public                             | DDL
          reindex table tmp                                         | REFUSED
          """)
  void whatIsChanged(String sql, StatementClass expected) {
    assertThat(permanent().with(temporaries(true, false)).classify(sql).statementClass())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          insert into item (id, n) values (1, 2)                    | CAPTURED
          update item set n = 1 where id = 1                        | CAPTURED
          insert into pg_temp.item (id, n) values (1, 2)            | TEMPORARY
          insert into public.item (id, n) values (1, 2)             | KEY_LOCAL
          copy item from stdin                                      | REFUSED
          drop table item                                           | REFUSED
          truncate item                                             | REFUSED
          analyze item                                              | REFUSED
          drop table pg_temp.item                                   | TEMPORARY
          select n from item where id = 1                           | LEADER
          """)
  void whereOtherSchemasComeFirstNothingIsCertain(String sql, StatementClass expected) {
    assertThat(permanent().with(temporaries(false, false)).classify(sql).statementClass())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          create temp table t (id int)                              | TEMPORARY
          create temp table t (id int references tmp)               | REFUSED
          alter table tmp add foreign key (id) references item      | REFUSED
          """)
  void whereCommitEmptiesOneForeignKeysAreRefused(String sql, StatementClass expected) {
    assertThat(permanent().with(temporaries(true, true)).classify(sql).statementClass())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          create temp table item (id int)                           | TEMPORARY
          insert into item (id, n) values (1, 2)                    | KEY_LOCAL
          select n from item where id = 1                           | READ
          drop table item                                           | DDL
          drop table if exists pg_temp.item                         | TEMPORARY
          create table t (id int)                                   | DDL
          """)
  void aSessionThatHasNone(String sql, StatementClass expected) {
    assertThat(permanent().classify(sql).statementClass()).isEqualTo(expected);
  }
}

package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.query.sql.Catalogue.Writes;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassifierTest {
  private static final Catalogue.Column INT =
      new Catalogue.Column(true, true, Catalogue.Fill.NULL, false, Catalogue.Input.SAME);
  private static final Catalogue.Column TEXT =
      new Catalogue.Column(true, false, Catalogue.Fill.NULL, false, Catalogue.Input.SAME);
  private static final Catalogue.Column TIME =
      new Catalogue.Column(false, false, Catalogue.Fill.NULL, false, Catalogue.Input.CLOCK);
  private static final Catalogue.Column SERIAL =
      new Catalogue.Column(true, true, Catalogue.Fill.COMPUTED, false, Catalogue.Input.SAME);

  private static final Catalogue.Column COMPUTED =
      new Catalogue.Column(true, true, Catalogue.Fill.COMPUTED, true, Catalogue.Input.SAME);

  private static Catalogue catalogue(boolean casts) {
    Set<String> pure =
        Set.of("abs", "count", "sum", "now", "lower", "txid_current", "pg_get_serial_sequence");
    Set<String> all = new HashSet<>(pure);
    all.addAll(Set.of("nextval", "setval", "random", "pg_notify", "set_config", "query_to_xml"));
    List<String> id = List.of("id");
    Map<String, Catalogue.Column> two = Map.of("id", INT, "n", INT);
    Map<String, List<Catalogue.Table>> tables =
        Map.ofEntries(
            table("a", Map.of("id", INT, "n", INT, "s", TEXT, "at", TIME), id, Writes.PLAIN),
            Map.entry(
                "two",
                List.of(
                    new Catalogue.Table(
                        "app",
                        Map.of("x", INT, "y", TEXT, "n", INT),
                        List.of("x", "y"),
                        Writes.PLAIN,
                        false,
                        true,
                        true))),
            Map.entry(
                "twice",
                List.of(
                    new Catalogue.Table("app", two, id, Writes.PLAIN, false, true, true),
                    new Catalogue.Table(
                        "public", Map.of("id", INT), id, Writes.ROWS, false, true, true))),
            table("gen", Map.of("id", SERIAL, "n", INT), id, Writes.PLAIN),
            table("computed", Map.of("id", COMPUTED, "n", INT), id, Writes.PLAIN),
            table("odd", Map.of("set", INT, "n", INT), List.of("set"), Writes.PLAIN),
            table("bare", Map.of("n", INT, "at", TIME), List.of(), Writes.PLAIN),
            table("checked", two, id, Writes.ROWS),
            table("trig", two, id, Writes.TRIGGERS),
            table("keytrig", two, id, Writes.KEY_TRIGGERS),
            table("tree", two, id, Writes.PLAIN),
            table("ruled", two, id, Writes.ANYTHING),
            table("pg_settings", Map.of(), List.of(), Writes.ANYTHING),
            table("nothing", Map.of(), List.of(), Writes.PLAIN));
    return new Catalogue(
        pure,
        all,
        Set.of("=", "+", "-", "*", "<", ">", "||"),
        Set.of("view", "myfn", "dom"),
        Set.of("a_id_seq"),
        tables,
        casts,
        false);
  }

  private static Map.Entry<String, List<Catalogue.Table>> table(
      String name, Map<String, Catalogue.Column> columns, List<String> key, Writes writes) {
    boolean plain = writes != Writes.TRIGGERS && writes != Writes.ANYTHING;
    return Map.entry(
        name,
        List.of(
            new Catalogue.Table(
                "public", columns, key, writes, name.equals("tree"), plain, plain)));
  }

  static Classifier classifier() {
    return new Classifier(catalogue(false));
  }

  static Classification classify(String sql) {
    return classifier().classify(sql);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          select 1                                               | READ
          select count(*) from a where n = $1 and s = 'x'        | READ
          SELECT a.n, Abs(-1) FROM a JOIN two ON a.id = two.x;   | READ
          (select 1) union (select 2)                            | READ
          with q as (select 1) select * from q                   | READ
          values (1), (2)                                        | READ
          table a                                                | READ
          explain select n from a                                | READ
          select 1; select 2                                     | READ
          select 'delete from a'                                 | READ
          select $x$ insert $x$, "update" from a /* drop */      | READ
          select substring(s from 1 for 2) from a                | READ
          select pg_catalog.abs(-1)                              | READ
          select oid from pg_class where relname = 'a'           | UNPROVEN_READ
          select n from a where 'a'::regclass is null            | UNPROVEN_READ
          select * from information_schema.tables                | UNPROVEN_READ
          declare c cursor for select oid from pg_class          | LEADER
          select nextval('q')                                    | LEADER
          select pg_catalog.nextval('app.q'::regclass), n from a | LEADER
          select setval(pg_get_serial_sequence('a', 'id'), 7, n > 1) from a | LEADER
          select setval('q'::text::regclass, (select sum(n) from a)) | LEADER
          select last_value from public.a_id_seq                 | LEADER
          table "a_id_seq"                                       | LEADER
          copy a_id_seq to stdout                                | LEADER
          select 'a_id_seq'                                      | READ
          select nextval('q'), myfn(1)                           | UNPROVEN_READ
          select nextval('q'), random()                          | UNPROVEN_READ
          select nextval($1)                                     | LEADER
          select nextval(s) from a                               | LEADER
          select nextval((select 'q')::regclass)                 | LEADER
          select nextval('q'::dom)                               | UNPROVEN_READ
          select app.nextval('q')                                | UNPROVEN_READ
          select "nextval"('q')                                  | LEADER
          select setval('q')                                     | LEADER
          select setval(regclass 'q', 1)                         | LEADER
          explain select nextval('q')                            | UNPROVEN_READ
          select random()                                        | UNPROVEN_READ
          select txid_current()                                  | UNPROVEN_READ
          select unheard(1)                                      | UNPROVEN_READ
          select public.abs(1)                                   | READ
          select a.myfn from a                                   | UNPROVEN_READ
          select * from "view"                                   | UNPROVEN_READ
          select '1'::dom                                        | UNPROVEN_READ
          select n @@@ 1 from a                                  | UNPROVEN_READ
          select n operator(public.+) 1 from a                   | UNPROVEN_READ
          select "in"(1)                                         | UNPROVEN_READ
          select public.coalesce(1)                              | UNPROVEN_READ
          explain (analyze) delete from a                        | CAPTURED
          explain analyze select 1                               | CAPTURED
          select n from a for update                             | LEADER
          select n from a for no key update skip locked          | LEADER
          select pg_notify('c', '')                              | LEADER
          select pg_advisory_lock(1)                             | LEADER
          select lo_create(0)                                    | REFUSED
          select * into b from a                                 | CREATE_AS
          with d as (delete from a returning *) select * from d  | CAPTURED
          select 1; delete from a                                | UNKNOWN
          """)
  void reads(String sql, StatementClass expected) {
    Classification got = classify(sql);
    assertThat(got.statementClass()).as("%s: %s", sql, got.why()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          update a set n = n + $1 where id = $2                  | KEY_LOCAL
          update public.a set n = 2 * (n - -1), s = 'x' where id = 1 | KEY_LOCAL
          update app.two set n = null where y = 'b' and x = 3    | KEY_LOCAL
          delete from a where id = 7;                            | KEY_LOCAL
          insert into a (id, n) values (1, 2), ($1, -3)          | KEY_LOCAL
          insert into bare (n) values (1)                        | KEY_LOCAL
          insert into bare (n) values (1_000)                    | ROWS
          update a set n = 0x1F where id = 1                     | ROWS
          update a set n = n + 0b1_0 where id = 1                | ROWS
          delete from a where id = 1_0.5e1_0                     | ROWS
          insert into gen (id, n) values (1, 2)                  | KEY_LOCAL
          insert into gen (n) values (2)                         | ROWS
          insert into a values (1, 2)                            | ROWS
          insert into a (id, at) values (1, 'now')               | ROWS
          insert into a (id, n) values (1, random())             | ROWS
          insert into a (id, n) values (1, default)              | ROWS
          insert into a (id) values (1) returning n              | ROWS
          insert into a (id) values (1) on conflict do nothing   | ROWS
          insert into a (id) select n from two                   | ROWS
          insert into bare (n, at) values (1, current_timestamp) | ROWS
          update a set n = 1                                     | ROWS
          update a set n = 1 where id = 1 or true                | ROWS
          update a set n = 1 where id > 1                        | ROWS
          update a set n = 1 where n = 1                         | ROWS
          update a set n = 1 where id = 1 and n = 2              | ROWS
          update a set n = 1 where id = 1 and id = 1             | ROWS
          update a set n = 1 where id = 1 limit 1                | ROWS
          update a set at = 'now' where id = 1                   | ROWS
          update a set at = at where id = 1                      | ROWS
          update a set n = n + '1' where id = 1                  | ROWS
          update a set n = 1, n = abs(n) where id = 1            | ROWS
          update a set n = n from two where id = 1               | ROWS
          update a as b set n = 1 where id = 1                   | ROWS
          update only a set n = 1 where id = 1                   | ROWS
          update two set n = 1 where x = 1                       | ROWS
          update checked set n = 1 where id = 1                  | ROWS
          delete from a where id = now()                         | ROWS
          delete from a using two where id = 1                   | ROWS
          update other.a set n = 1 where id = 1                  | CAPTURED
          update a set id = 2 where id = 1                       | CAPTURED
          update a set (n, id) = (1, 2) where n = 1              | CAPTURED
          update a set n = (select 1 where true), id = 2         | CAPTURED
          update a set n = two.where, id = 2 from two            | CAPTURED
          update a set s = n is distinct from 1, id = 2          | CAPTURED
          update odd set set = 5                                 | CAPTURED
          update odd set n = 1, set = 5                          | CAPTURED
          insert into odd as x values (1, 2) on conflict ("set") do update set set = 5 | CAPTURED
          insert into computed (n) values (1)                    | CAPTURED
          update computed set n = 1                              | CAPTURED
          update a set n = id + 1 returning id                   | ROWS
          update a set n = (select id from a where id = 1), at = at | ROWS
          insert into a (id) values (1) on conflict (id) do update set n = 1 | ROWS
          insert into a (id) values (1) on conflict (id) do update set id = 2 | CAPTURED
          update a set n = myfn(1) where id = 1                  | CHECKED_ROWS
          insert into a (id) values (myfn(1)) on conflict do nothing | CHECKED_ROWS
          insert into a select myfn(1)                           | CHECKED_ROWS
          insert into public.a as x select myfn(1)               | CHECKED_ROWS
          insert into a as myfn (id) values (1)                  | ROWS
          insert into a select nextval('s')                      | ROWS
          insert into a select nextval(s) from a                 | ROWS
          insert into a (id, n) values (1, nextval('s'))         | ROWS
          update a set n = nextval('s') where id = 1             | ROWS
          insert into a table "view"                             | CHECKED_ROWS
          update a set n = myfn(nextval('s')) where id = 1       | CHECKED_ROWS
          update trig set n = random()                           | CHECKED_ROWS
          update trig set id = 2                                 | CAPTURED
          update trig set n = 1 where id = nextval('s')          | CHECKED_ROWS
          insert into trig values (1, 2) on conflict (id) do update set n = 1 | CHECKED_ROWS
          insert into keytrig values (1, 2) on conflict (id) do update set n = 1 | CAPTURED
          insert into keytrig values (1, 2) on conflict do nothing | CHECKED_ROWS
          delete from keytrig where id = 1                       | CHECKED_ROWS
          insert into tree (id, n) values (1, null), (2, 1)      | KEY_LOCAL
          insert into tree select 1, 2                           | LINKED_ROWS
          delete from tree where id > 1                          | LINKED_ROWS
          update tree set n = myfn(1)                            | CHECKED_ROWS
          update ruled set n = 1 where id = 1                    | CAPTURED
          copy trig from stdin                                   | CAPTURED
          truncate trig                                          | REFUSED
          update a set n = pg_notify('x', '') where id = 1       | REFUSED
          update a set n = n @@@ 1 where id = 1                  | CHECKED_ROWS
          update a set n = (select n from "view") where id = 1   | CHECKED_ROWS
          update trig set n = 1 where id = 1                     | CHECKED_ROWS
          insert into unheard values (1)                         | CAPTURED
          insert into a with d as (delete from two returning *) select * from d | CAPTURED
          delete from bare where n = 1                           | REFUSED
          update bare set n = 1                                  | REFUSED
          delete from a where ctid = '(0,1)'                     | REFUSED
          merge into a using two on id = x when matched then delete | CAPTURED
          call p()                                               | CAPTURED
          call p(nextval('s'))                                   | CAPTURED
          call p(nextval($1))                                    | CAPTURED
          explain analyze select nextval('s')                    | CAPTURED
          with d as (delete from a returning *) select nextval('s') | CAPTURED
          do 'begin end'                                         | CAPTURED
          insert into app.twice (id, n) values (1, 2)            | KEY_LOCAL
          insert into public.twice (id) values (1)               | ROWS
          insert into twice (id) values (1)                      | CAPTURED
          insert into other.twice (id) values (1)                | CAPTURED
          """)
  void writes(String sql, StatementClass expected) {
    Classification got = classify(sql);
    assertThat(got.statementClass()).as("%s: %s", sql, got.why()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          begin isolation level serializable      | TRANSACTION
          rollback to savepoint s                 | TRANSACTION
          prepare transaction 'g'                 | TRANSACTION
          prepare p as delete from a              | SESSION
          execute p                               | EXECUTE
          declare c cursor for select 1           | LEADER
          declare c cursor with hold for select 1 | LEADER
          declare c cursor for select random()    | UNKNOWN
          fetch all from c                        | LEADER
          select set_config('a', 'b', true)       | SESSION
          select myfn(1) from a for update        | UNPROVEN_READ
          select pg_notify('c', myfn(1))          | UNPROVEN_READ
          insert into a (id) values (nextval('s')) | ROWS
          declare c cursor for select nextval('s') | UNKNOWN
          copy (select nextval('s')) to stdout     | UNKNOWN
          set search_path = x                     | SESSION
          show all                                | SESSION
          lock table a                            | LEADER
          listen c                                | LEADER
          create table t (id int primary key)     | DDL
          create table t as select 1              | CREATE_AS
          create materialized view v as select 1  | REFUSED
          truncate a                              | DDL
          truncate only a, app.two restart identity | DDL
          truncate app.twice                      | DDL
          truncate twice                          | REFUSED
          truncate trig                           | REFUSED
          truncate keytrig                        | DDL
          truncate a cascade                      | REFUSED
          create table t (at timestamptz default now(), n int generated always as (1) stored) | DDL
          create table t (at timestamptz default 'now') | REFUSED
          create table t (at timestamptz default 'n' 'ow') | REFUSED
          create table t (at timestamptz default E'n\\x6fw') | REFUSED
          create table t (at timestamptz default $$NOW$$) | REFUSED
          create temp table t (id int)            | TEMPORARY
          create unlogged table t (id int)        | REFUSED
          alter table a set unlogged              | REFUSED
          create table pg_temp.t (id int)         | TEMPORARY
          create table t execute p                | REFUSED
          create unique index on a (lower(s)) where n > 1 | DDL
          create index on a (myfn(s))             | REFUSED
          create index concurrently on a (s)      | REFUSED
          create view v as select n from a where at < now() | DDL
          create view v as select nextval('s')    | REFUSED
          create view v as select * from "view"   | REFUSED
          create type t as enum ('a', 'b')        | DDL
          create type t as range (subtype = int)  | REFUSED
          create type t                           | REFUSED
          create rule r as on insert to a do also delete from two | REFUSED
          create schema s create table t (id int) | REFUSED
          alter table a add column x varchar(10) not null default 'x', drop n | DDL
          alter table only public.a add check (n > 1), add foreign key (n) references app.two (n) | DDL
          alter table a alter column at set default clock_timestamp() | DDL
          alter table a alter at set default now(), add x int default random() | REFUSED
          alter table a add x float8 default random() | REFUSED
          alter table a add x timestamptz default current_timestamp | REFUSED
          alter table a add x timestamptz default 'now' | REFUSED
          alter table a add x serial              | REFUSED
          alter table a add x dom                 | REFUSED
          alter table a add x int generated always as identity | REFUSED
          alter table only public.a alter column n add generated always as identity (sequence name s start 3) | DDL
          alter table a alter n drop identity if exists | DDL
          alter table a alter n add generated always as identity, add x int default random() | REFUSED
          alter domain public.dom owner to r      | DDL
          alter domain dom add check (myfn(value)) | REFUSED
          alter table a alter s type bigint using s::bigint | DDL
          alter table a alter s type timestamptz using s::timestamptz | REFUSED
          alter table a alter n type float8 using random() | REFUSED
          alter table a enable row level security | REFUSED
          alter table a rename n to m             | DDL
          alter role r set search_path = x        | REFUSED
          alter system set fsync = off            | REFUSED
          drop table if exists a, two cascade     | DDL
          drop index concurrently i               | REFUSED
          drop database d                         | REFUSED
          grant select on a to r                  | DDL
          comment on table a is 'as of now'       | DDL
          vacuum a                                | MAINTENANCE
          vacuum (verbose, analyze) a (n), two    | MAINTENANCE
          analyze                                 | MAINTENANCE
          vacuum full a                           | REFUSED
          vacuum ("full") a                       | REFUSED
          vacuum (full off, freeze) a             | REFUSED
          refresh materialized view v             | REFUSED
          copy a (n) from stdin with (format csv) | COPY_FROM
          copy a from stdin csv header quote as 'q' | CAPTURED
          copy public.a from stdin (freeze on, null 'x', force_null (n)) | COPY_FROM
          copy binary gen (id) from stdin         | COPY_FROM
          copy gen (n) from stdin                 | CAPTURED
          copy app.twice (n, id) from stdin       | COPY_FROM
          copy public.twice (n, id) from stdin    | CAPTURED
          copy twice from stdin                   | CAPTURED
          copy trig from stdin                    | CAPTURED
          copy keytrig from stdin                 | COPY_FROM
          copy a from stdin (on_error ignore)     | CAPTURED
          copy a (unheard) from stdin             | CAPTURED
          copy a from '/etc/passwd'               | UNKNOWN
          copy a (n, s) to stdout                 | COPY_TO
          copy (select random()) to stdout        | UNKNOWN
          copy (delete from a returning n) to stdout | UNKNOWN
          copy a to program 'x'                   | UNKNOWN
          select 'open                            | UNKNOWN
          select 1 /* open                        | UNKNOWN
          select U&'x'                            | UNKNOWN
          select 1a                               | UNKNOWN
          ;                                       | SESSION
          """)
  void others(String sql, StatementClass expected) {
    Classification got = classify(sql);
    assertThat(got.statementClass()).as("%s: %s", sql, got.why()).isEqualTo(expected);
  }

  @Test
  void namesAreCutAsPostgresqlCutsThem() throws SqlException {
    String name = "n".repeat(63);
    assertThat(Lexer.tokens(name + "m \"" + name + "m\" " + name).stream().map(Token::text))
        .containsExactly(name, name, name);
    assertThatThrownBy(() -> Lexer.tokens("\u00e4".repeat(32)))
        .hasMessage("a name of more than 63 bytes");
  }

  @Test
  void textIsNotArithmetic() {
    assertThat(classify("update a set s = s || 'x' where id = 1").statementClass())
        .isEqualTo(StatementClass.ROWS);
  }

  @Test
  void nothingIsProvableWhereCastsRunFunctionsOfUsers() {
    Classifier classifier = new Classifier(catalogue(true));
    assertThat(classifier.classify("select 1").statementClass())
        .isEqualTo(StatementClass.UNPROVEN_READ);
    assertThat(classifier.classify("delete from a where id = 1").statementClass())
        .isEqualTo(StatementClass.CHECKED_ROWS);
  }

  @Test
  void tokensAreCutAsPostgresDoes() throws Exception {
    assertThat(Lexer.tokens("a=-1").stream().map(Token::text)).containsExactly("a", "=", "-", "");
    assertThat(Lexer.tokens("a@-1").stream().map(Token::text)).containsExactly("a", "@-", "");
    assertThat(Lexer.tokens("a*/**/-b").stream().map(Token::text))
        .containsExactly("a", "*", "-", "b");
    assertThat(Lexer.tokens("+--x\n-").stream().map(Token::text)).containsExactly("+", "-");
    assertThat(Lexer.tokens("a$b$c").stream().map(Token::text)).containsExactly("a$b$c");
    assertThat(Lexer.tokens("E'\\'' 'a''b' $1 $$;$$ $t$ $$ $t$").stream().map(Token::kind))
        .containsExactly(
            Token.Kind.STRING,
            Token.Kind.STRING,
            Token.Kind.PARAMETER,
            Token.Kind.STRING,
            Token.Kind.STRING);
    assertThat(Lexer.tokens("\"A\"\"b\" Ab É").stream().map(Token::text))
        .containsExactly("A\"b", "ab", "É");
    assertThat(Lexer.tokens("/* a /* b */ */ x -- y").stream().map(Token::text))
        .containsExactly("x");
    assertThat(Lexer.tokens("1.5e-3 .5 7.").stream().map(Token::kind))
        .containsOnly(Token.Kind.NUMBER);
  }
}

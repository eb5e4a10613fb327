package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodeDdlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          create function f() returns int begin atomic select 1; select 2; end | DDL
          create table t (id int) partition by range (id) | DDL
          create table t (id int) partition by range (myfn(id)) | REFUSED
          create table t partition of u for values from (1) to (maxvalue) partition by list (n) | DDL
          create table t partition of u (n default random()) for values in (1, 2) | DDL
          create table t partition of u for values with (modulus 2, remainder 1) | DDL
          create table t partition of u default   | DDL
          create table t partition of u for values in (n(1)) | REFUSED
          create table t partition of u for values from ('now') to (maxvalue) | REFUSED
          create table t partition of u for values from (current_date) to (maxvalue) | REFUSED
          create table t () inherits (a)          | REFUSED
          create domain d as varchar(9) default 'x' not null check (lower(value) > '') | DDL
          create domain d as text check (nextval('s') > 1) not null | REFUSED
          create domain d as text check (myfn(value)) | REFUSED
          create domain d as dom                  | REFUSED
          create domain d as timestamptz default 'now' | REFUSED
          alter domain d drop not null            | REFUSED
          create trigger t after insert on a execute function myfn() | DDL
          create or replace trigger t before update of n on a for each row when (old.n > 1) execute function myfn('x') | DDL
          create trigger t before insert on a for each row when (new.at > 'today') execute function myfn() | REFUSED
          create or replace trigger mgtm_capture after insert on a execute function myfn() | REFUSED
          create constraint trigger t after insert on a execute function myfn() | REFUSED
          create event trigger t on ddl_command_end execute function myfn() | REFUSED
          create function f() returns trigger language plpgsql as $$begin new.at := 'now'; return new; end$$ | DDL
          create function f() returns trigger as 'begin return null; end' language 'plpgsql' | DDL
          create or replace function app.f(int, out t) returns record stable as $$select 1$$ language sql | DDL
          create function f(in x double precision default 1, y t default null) returns int as $$select 1$$ language sql | DDL
          create function f(x varchar(9)[], variadic y text[]) returns table (n int, begin int) language sql as $$select 1, 2$$ | DDL
          create function f(variadic int[]) returns int language sql as $$select 1$$ set search_path to app | DDL
          create function f(x t, y int) returns int language sql as $$select 1$$ | DDL
          create procedure p(x t) language plpgsql as $$begin commit; end$$ | DDL
          create function f(x t) returns int language sql as $$select 1$$ | DDL
          create function f(out x t, y t) language sql as $$select 1$$ | DDL
          create function f(x t, y int default 1) returns int language sql as $$select 1$$ | DDL
          create function f(x t, y int = 1) returns int language sql as $$select 1$$ | DDL
          create function f(x t, variadic int[]) returns int language sql as $$select 1$$ | DDL
          create function f(anyelement) returns int language sql as $$select 1$$ | DDL
          create function f(text a.n%type) returns int language sql as $$select 1$$ | DDL
          create function f(text varying) returns int language sql as $$select 1$$ | DDL
          create function f(app.text) returns int language sql as $$select 1$$ | DDL
          create function f("text") returns int language sql as $$select 1$$ | DDL
          create function lower(int, int) returns int language sql as $$select 1$$ | REFUSED
          create function app.lower(int) returns int language sql as $$select 1$$ | REFUSED
          create function "over"(int) returns int language sql as $$select 1$$ | REFUSED
          create function f(x timestamptz default 'now') returns int language sql as $$select 1$$ | REFUSED
          create function f(int) returns int language c as 'file', 'name' | REFUSED
          create function f(int) returns int language sql as $$select 1$$ 'x' | REFUSED
          create function f(int) returns int as $$select 1$$ | REFUSED
          create function f(int, int) returns int language sql return 1 | DDL
          create function f(int) returns timestamptz return 'now'::timestamptz | REFUSED
          create function f(int) returns int language plpgsql as 'x' return 1 | REFUSED
          create function f(int) returns int set datestyle from current language sql as $$select 1$$ | REFUSED
          create function pg_temp.f(int) returns int language sql as $$select 1$$ | REFUSED
          create function f() returns table (n int, begin int) language sql as $$select 1, 2$$ set search_path to app | DDL
          create function f(x int, y text, out z int) stable language plpgsql as $$begin z := 1; end$$ | DDL
          create function f(a t, b out int) language sql as $$select 1$$ | DDL
          create function f(x text) returns int language sql as $$select 1$$ | DDL
          create function f(x int, y int default 1) returns int language sql as $$select 1$$ | DDL
          create function f(x int, y int =-1) returns int language sql as $$select 1$$ | DDL
          drop trigger if exists mgtm_capture on a | OWN
          create trigger mgtm_capture after insert on a for each row execute function mgtm.mgtm_capture() | OWN
          create trigger mgtm_capture after insert on a execute function myfn() | REFUSED
          create trigger mgtm_capture             | REFUSED
          alter table only public.a enable always trigger mgtm_capture | OWN
          drop trigger t on a                     | DDL
          alter schema a rename to b              | REFUSED
          grant all on a to session_user          | REFUSED
          create table t (myfn int) partition by range (n) | DDL
          create table t (n int) partition by range ((n + 1)) | DDL
          create aggregate f(int) (sfunc = myfn, stype = int) | REFUSED
          alter function f(int) owner to r        | DDL
          alter function f(int) rename to lower   | REFUSED
          alter function f(int) set schema app    | REFUSED
          alter table a disable trigger all       | REFUSED
          alter table a disable trigger user      | REFUSED
          alter table a disable trigger t, enable trigger u | DDL
          alter table a disable trigger mgtm_capture | REFUSED
          alter table a enable always trigger t   | REFUSED
          alter table a attach partition b default | DDL
          alter table a attach partition b for values from (1) to (2) | DDL
          alter table a detach partition b        | DDL
          alter table a detach partition b concurrently | REFUSED
          create role r                           | DDL
          create user u login createdb connection limit 3 valid until '2030-01-01' in role r | DDL
          create role r login password 'SCRAM-SHA-256$4096:c2FsdA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=' | DDL
          create role r password 'SCRAM-SHA-256$4096:c2FsdA==$a:b' | REFUSED
          create role r password 'md50123456789abcdef0123456789abcdef0' | REFUSED
          alter role r noinherit                  | REFUSED
          alter group r add user s                | REFUSED
          alter role r encrypted password 'md50123456789abcdef0123456789abcdef' | DDL
          alter role r password null nologin      | DDL
          create role r login password 'secret'   | REFUSED
          alter user r password E'SCRAM-SHA-256$4096:c2FsdA==$a:b' | REFUSED
          alter user r password 'md5'             | REFUSED
          alter role r valid until 'tomorrow'     | REFUSED
          alter role r rename to s                | REFUSED
          alter role all set work_mem = 1         | REFUSED
          create user mapping for r server s      | REFUSED
          drop role if exists r, s                | DDL
          drop owned by r                         | REFUSED
          """)
  void definitions(String sql, StatementClass expected) {
    Classification got = ClassifierTest.classify(sql);
    assertThat(got.statementClass()).as("%s: %s", sql, got.why()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          create function f() returns int             | false
          create function f(x t)                      | true
          create or replace function app.f(int)       | true
          create function f(int, out t)               | true
          create function f(out x t, y t)             | true
          create function f(x t, y int)               | false
          create function f(x t, y int default 1)     | true
          create function f(x t, y int = 1)           | true
          create function f(x numeric(3, 1), y t[])   | false
          create function f(x t, variadic y int[])    | true
          create function f(variadic int[])           | true
          create procedure f(x t)                     | false
          create trigger f after insert on t execute function g() | false
          alter function f(int) cost 1                | false
          """)
  void whatLooksLikeAColumnMayCallIt(String sql, boolean expected) throws SqlException {
    Statement one = ClassifierTest.classifier().statements(sql).get(0);
    assertThat(one.makesColumnLike()).isEqualTo(expected);
  }

  /** What stands behind a body, or behind a name such as atomic, is no part of it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          create function f() returns int begin atomic select 1; select case when true then 2 end; end; delete from a | DDL,ROWS
          create procedure f() begin atomic end; delete from a    | DDL,ROWS
          create procedure f(begin atomic) begin atomic select 1; end; delete from a | DDL,ROWS
          create function f() returns int return 1; select 1 as atomic; delete from a | DDL,READ,ROWS
          create function f() returns int begin atomic select 1 case; end; delete from a; select 1 end | DDL,ROWS,READ
          create sequence atomic; delete from a                   | DDL,ROWS
          create sequence begin atomic; delete from a; end        | DDL,ROWS,TRANSACTION
          create table t (n int); select n as atomic from t       | DDL,READ
          """)
  void semicolons(String sql, String expected) throws SqlException {
    assertThat(
            ClassifierTest.classifier().statements(sql).stream()
                .map(one -> one.statementClass().name())
                .collect(Collectors.joining(",")))
        .isEqualTo(expected);
  }

  /** A text that is made of others may name the moment. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "create table t partition of u for values from (('no' || 'w')::timestamp) to (maxvalue)",
        "alter table a attach partition b for values in (('no' || 'w')::text)",
        "alter table a add x timestamptz default ('no' || 'w')::timestamptz",
        "alter table a alter s type text using (('no' || 'w')::timestamp)::text",
        "alter table a add x timestamptz default ('{\"a\":\"no\\u0077\"}'::json ->> 'a')::timestamptz"
      })
  void nothingIsComputedOfTexts(String sql) {
    assertThat(ClassifierTest.classify(sql).statementClass()).isEqualTo(StatementClass.REFUSED);
  }
}

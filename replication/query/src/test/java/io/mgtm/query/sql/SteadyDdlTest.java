package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Definitions of tables by which a server would compute something else than another. */
class SteadyDdlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          create table t (id int, m mood, primary key (id, m)) partition by hash (m) | REFUSED
          create table t (id int, m mood) partition by hash (id, m) | REFUSED
          create table t (id int) partition by hash (abs(id)) | REFUSED
          create table t (like a) partition by hash (id) | REFUSED
          create table t (id int, n numeric(10, 2), d timestamptz) partition by hash (id, n, d) | DDL
          create table t partition of a default partition by hash (id, at) | DDL
          create table t partition of a default partition by hash (unheard) | REFUSED
          create table t (m mood) partition by list (m) | DDL
          create table t (m mood) partition by range (hashenum(m)) | REFUSED
          create table t (id int, m mood, h int generated always as (hashenum(m)) stored) | REFUSED
          create table t (id int, h int generated always as (tableoid::int) stored) | REFUSED
          create table t (id int, h int generated always as ('a'::regclass::oid::int) stored) | REFUSED
          create table t (id int, h int generated always as (id * 2) stored, check (id > h), r regclass) | DDL
          create table t (id int, check (tableoid > 0)) | REFUSED
          alter table a add constraint c check (hash_array(array[n]) > 0) | REFUSED
          alter table a add check (n > 0) | DDL
          create domain d as int check (value > 'a'::regclass::oid::int) | REFUSED
          create table t (id int, d text default set_config('timezone', 'UTC', false)) | REFUSED
          create table t (id int, d text default query_to_xml('select f()', true, true, '')) | REFUSED
          create table t (id int default nextval('s'), d float8 default random(), at date default now()) | DDL
          create domain d as text default set_config('timezone', 'UTC', false) | REFUSED
          alter table a alter column s set default set_config('timezone', 'UTC', false) | REFUSED
          alter table a alter column s set default random()::text | DDL
          alter table a drop column n, enable always trigger mgtm_capture | REFUSED
          alter table if exists a rename column n to enable always trigger mgtm_capture | REFUSED
          alter table unheard enable always trigger mgtm_capture | REFUSED
          alter table if exists only public.a enable always trigger mgtm_capture | OWN
          drop trigger mgtm_capture on unheard | REFUSED
          drop trigger mgtm_capture on a, b | REFUSED
          copy a from stdin (format csv, escape 'o') | CAPTURED
          copy a from stdin (format csv, escape '!', quote '$') | COPY_FROM
          """)
  void whatIsTheSameEverywhereIsTold(String sql, StatementClass expected) {
    Classification got = ClassifierTest.classify(sql);
    assertThat(got.statementClass()).as("%s: %s", sql, got.why()).isEqualTo(expected);
  }
}

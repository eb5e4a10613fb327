package io.mgtm.query.member;

import java.util.List;

/** What {@link CaptureIT} writes to, with triggers and functions of all kinds. */
final class CaptureTables {
  static final String TABLES =
      """
      create table item (id int primary key, n int, what text);
      create table audit (at timestamptz default clock_timestamp(), r float8 default random(), what text);
      create table summed (what text primary key, n bigint not null);
      insert into summed values ('items', 0);
      create function noted() returns trigger language plpgsql as $$begin
        insert into audit (what) values (tg_op || coalesce(new.id, old.id));
        update summed set n = n + 1 where what = 'items';
        return null; end$$;
      create trigger noted after insert or update or delete on item for each row execute function noted();

      create table parent (id int primary key, n int);
      create unique index on parent (id) include (n);
      create unique index on parent (n) where n < 0;
      create table kid (id int primary key, p int references parent on delete cascade on update cascade);
      create trigger noted after insert or update or delete on kid for each row execute function noted();
      create table ref (id int primary key, p int references parent);
      create table plain (id serial primary key, n float8);
      create table uniq (id int primary key, u int unique, n int);
      create table part (id int primary key, u int, n int);
      create unique index on part (u) where n > 0;
      create table exactly (id numeric primary key, n int);
      insert into exactly values (1, 0), (2.00, 0);
      create table bare (n int, what text);
      create table parted (id int primary key, n int) partition by range (id);
      create table low partition of parted for values from (0) to (100);
      create table high partition of parted for values from (100) to (200);
      create view shown as select id, n from item;
      create table secured (id int primary key);
      alter table secured enable row level security;
      create table untold (id int primary key);
      create table moment (id int primary key, at timestamptz check (at <= now()));
      create table swaps (id int primary key deferrable, n int);

      create table wild (id int primary key, u int unique, n int);
      create function wild() returns trigger language plpgsql as $$declare a int; b int; begin
        if pg_trigger_depth() > 3 then return null; end if;
        for i in 1..2 loop
          a := (random() * 9)::int; b := (random() * 9)::int;
          begin
            case (random() * 4)::int
              when 0 then update wild set u = b, n = n + 1 where id = a;
              when 1 then delete from wild where id = a;
              when 2 then insert into wild values (a, b, 0);
              when 3 then update wild set id = b where id = a;
              else raise division_by_zero;
            end case;
          exception when unique_violation or division_by_zero then null; end;
        end loop;
        return null; end$$;
      create trigger a after insert or update or delete on wild for each row execute function wild();
      create trigger z after update on wild for each row execute function wild();

      create type mood as enum ('sad', 'happy');
      create type pair as (a int, b text);
      create schema "Odd Schema";
      create table "Odd Schema"."Odd ""Table" (
        "Key, 1" mood, "key"" 2" numeric, always int generated always as identity,
        doubled numeric generated always as ("key"" 2" * 2) stored,
        b bytea, f float8, g float4, ts timestamptz, tz timestamp, d date, iv interval, arr text[],
        j jsonb, js json, ip inet, p pair, r int4range, m money, c char(5), "t" int, x bit(3), e text,
        dropped int, primary key ("Key, 1", "key"" 2"));
      alter table "Odd Schema"."Odd ""Table" drop column dropped;
      create function odd() returns void language plpgsql
        set extra_float_digits = 0 set intervalstyle = sql_standard set bytea_output = escape
        set timezone = 'Asia/Kathmandu' as $$begin
        insert into "Odd Schema"."Odd ""Table" values ('sad', 1.10, default, default, '\\x00ff5c', 0.1::float8 + 0.2,
          1.1, '1883-01-01 00:00:00+00', 'infinity', '0044-03-15 BC', '-1 year -2 days +03:00:00.5',
          array['a"b', null, 'NULL', 'c,d\\'], '{"a": 1.0, "b": null}', '{"x" :  1}', '10.1.2.3',
          row(null, null), '[1,5)', 12.34, 'a  ', null, b'101', ''),
          ('happy', 'NaN', default, default, null, '-0', 'NaN', null, null, null, null, '{}', 'null', null, '::/0',
          row(1, null), 'empty', null, '', 7, null, 'ü');
        update "Odd Schema"."Odd ""Table" set f = 1e-300, iv = iv * 1.5 where "Key, 1" = 'sad';
        end$$;

      create function add(i int) returns int language plpgsql as $$begin
        insert into item values (i, 0, 'added'); return i * 10; end$$;
      create function idle() returns int language plpgsql as $$begin
        update item set n = 1 where false; return 3; end$$;
      create function later(i int) returns int language plpgsql as $$begin
        if i > 900 then insert into item values (i, 0, 'later'); end if; return i; end$$;
      create procedure put(i int, inout o int default 0) language plpgsql as $$begin
        insert into item values (i, 0, 'put'); o := i + 1; end$$;
      create procedure commits() language plpgsql as $$begin insert into bare values (1); commit; end$$;
      create function upsert(i int) returns void language plpgsql as $$begin
        for k in 1..3 loop
          begin insert into item select g, 1, 'x' from generate_series(i - 2, i) g;
          exception when unique_violation then update item set n = n + 1 where id = i; end;
        end loop; end$$;
      create function undone() returns void language plpgsql as $$begin
        begin
          update item set n = -7; delete from plain; insert into bare values (13, 'undone');
          raise division_by_zero;
        exception when division_by_zero then insert into bare values (14, 'kept'); end; end$$;
      create function swap(of text, a int, b int) returns void language plpgsql as $$begin
        execute format('update %I set id = -1 where id = %s', of, a);
        execute format('update %I set id = %s where id = %s', of, a, b);
        execute format('update %I set id = %s where id = -1', of, b); end$$;
      create function rotated() returns void language plpgsql as $$begin
        update part set u = 0 where id = 1;
        update part set u = 1 where id = 2; update part set u = 2 where id = 1; end$$;
      create function replica() returns void language plpgsql as $$begin
        perform set_config('session_replication_role', 'replica', true);
        insert into kid values (990, 990);
        perform set_config('session_replication_role', 'origin', true); end$$;
      create function resets() returns void language plpgsql as $$begin
        execute 'reset all'; insert into bare values (66, 'reset'); end$$;
      create function restarts() returns void language plpgsql as $$begin
        insert into bare values (67, 'x'); execute 'reset all'; perform mgtm.mgtm_begin_capture(); end$$;
      create function temps() returns void language plpgsql as $$begin
        create temp table gone (n int) on commit drop; insert into gone values (1); end$$;
      create function inserts(of text) returns void language plpgsql as $$begin
        execute format('insert into %I values (1)', of); end$$;
      create function quiet(i int) returns void language plpgsql as $$begin
        insert into item values (i, 0, 'quiet'); exception when others then raise notice '%', sqlerrm; end$$;
      create function opens(of text) returns refcursor language plpgsql as $$declare c refcursor := 'cur';
        begin open c for execute of; return c; end$$;
      create function locks(i int) returns void language sql as 'select pg_advisory_xact_lock(i)';
      create function tells(what text) returns void language plpgsql as $$begin
        perform locks(what::int); execute format('notify %I', what); end$$;
      create view locked as select 1 as one from locks(8);
      create function changes() returns void language plpgsql as $$begin
        insert into bare values (1, 'a'); update bare set n = 2; end$$;
      """;

  /** Statements that write by them, in an order in which they can be run. */
  static final List<String> WRITES =
      List.of(
          "insert into item select g, g, 'i' from generate_series(1, 9) g",
          "insert into parent select g, g from generate_series(1, 9) g",
          "insert into kid select g, g from generate_series(1, 9) g",
          "insert into uniq select g, g, g from generate_series(1, 9) g",
          "insert into part select g, g, 1 from generate_series(1, 9) g",
          "merge into item using (values (1, 50), (10, 60)) v (id, n) on item.id = v.id"
              + " when matched then update set n = v.n when not matched then insert (id, n) values (v.id, v.n)",
          "merge into item using plain on item.id = plain.id when matched then delete",
          "with d as (delete from item where id = 2 returning *) insert into plain (n) select n from d",
          "with w as (insert into plain (n) select random() from generate_series(1, 5) returning *)"
              + " update item set n = 1 from w where item.id = 3",
          "explain analyze update item set n = random() * 100 where id = 4",
          "update item set id = id + 100 where id = 5",
          "update uniq set id = id + 100, u = u + 100",
          "insert into item values (6, 0), (11, 0) on conflict (id) do update set n = item.n + 1",
          "delete from item where id > 5",
          "call put(20)",
          "do $$begin for i in 30..35 loop perform add(i); end loop; delete from item where id = 31; end$$",
          "do 'begin end'",
          "select add(40)",
          "select add(g), random() from generate_series(41, 45) g",
          "select idle()",
          "select id from item where id < 1000 for update",
          "delete from parent where id in (1, 2)",
          "update parent set id = id + 50 where id = 3",
          "select upsert(60)",
          "select undone()",
          "select quiet(70)",
          "select swap('uniq', 101, 102)",
          "select swap('kid', 5, 6)",
          "select rotated()",
          "update exactly set id = id + 0.0",
          "select replica()",
          "select odd()",
          "insert into parted select g, g from generate_series(95, 99) g",
          "update parted set id = id + 10 where id between 96 and 99",
          "update shown set n = 9 where id = 20");

  private CaptureTables() {}
}

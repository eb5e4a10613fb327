package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** pg_dump, pg_restore and psql through a replicator, before two real servers. */
class DumpIT {
  private static final String SHOP =
      """
      create schema shop;
      set search_path = shop;
      create type mood as enum ('sad', 'ok', 'happy');
      create domain address as text constraint has_at check (value ~ '@');
      create table customer (id serial primary key, name text not null, mail address,
        feels mood default 'ok', felt mood[], tags text[] default '{}', made timestamptz default now());
      create table item (id bigint generated always as identity primary key,
        customer_id int not null references customer on delete cascade,
        price numeric(10, 2) check (price >= 0), doc jsonb,
        total numeric generated always as (price * 2) stored);
      create index on item (customer_id);
      create unique index on customer (lower(name));
      create view spent as select customer_id, sum(price) as sum from item group by customer_id;
      create table note (customer_id int, body text);
      create table part (k int, v text, primary key (k)) partition by range (k);
      create table part_1 partition of part for values from (0) to (100);
      create table part_2 partition of part for values from (100) to (200);
      create function touch() returns trigger language plpgsql as
        $$ begin new.made := coalesce(new.made, now()); return new; end $$;
      create trigger touched before update on customer for each row execute function touch();
      comment on table customer is 'who buys';
      create sequence free start 100;
      insert into customer (name, mail, felt) values ('Ann', 'a@x', '{sad,ok}'), ('Bob', null, null);
      insert into item (customer_id, price, doc) values (1, 3.5, '{"a": 1}'), (2, 7, null);
      insert into note values (1, 'x'), (2, E'tab\\there');
      insert into part values (1, 'a'), (150, 'b');
      select nextval('free');
      grant select on customer to mgtm;
      """;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "select 1");
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @BeforeEach
  void makeShop() throws Exception {
    dropShop();
    Path script = Files.writeString(folder.resolve("make.sql"), SHOP);
    program("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", script.toString()).succeeded();
  }

  private static void dropShop() throws Exception {
    program("psql", "-X", "-q", "-c", "drop schema if exists shop cascade").succeeded();
  }

  private static Tools.Result program(String name, String... arguments) throws Exception {
    return cluster.program(name, arguments);
  }

  private static Tools.Result at(HostPort server, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(Tools.PROGRAMS + "/pg_dump"));
    command.addAll(List.of(arguments));
    return cluster.run(server, command);
  }

  /** Without what differs from dump to dump. */
  private static String plain(Tools.Result dump) {
    return dump.succeeded().output().replaceAll("(?m)^.(un)?restrict .*$", "");
  }

  private static String dumpOfLeader() throws Exception {
    return plain(at(cluster.servers.get(0).address, "-n", "shop"));
  }

  private static void assertRestored(String before) throws Exception {
    assertThat(dumpOfLeader()).isEqualTo(before);
    cluster.assertAlike();
    cluster.assertSchemasAlike();
  }

  @Test
  void dumpIsThatOfAServerAndIsRestoredInOneTransaction() throws Exception {
    String before = dumpOfLeader();
    Path file = folder.resolve("shop.sql");
    assertThat(plain(program("pg_dump", "-n", "shop"))).isEqualTo(before);
    program("pg_dump", "-n", "shop", "-f", file.toString()).succeeded();
    dropShop();
    program("psql", "-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", "-f", file.toString()).succeeded();
    assertRestored(before);
  }

  @Test
  void statementsOfRowsAreRestored() throws Exception {
    String before = dumpOfLeader();
    Path file = folder.resolve("inserts.sql");
    program("pg_dump", "-n", "shop", "--inserts", "-f", file.toString()).succeeded();
    dropShop();
    program("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", file.toString()).succeeded();
    assertRestored(before);
  }

  @Test
  void directoryIsDumpedAndRestoredByTwoAtOnce() throws Exception {
    String before = dumpOfLeader();
    String archive = folder.resolve("shop.d").toString();
    program("pg_dump", "-n", "shop", "-F", "d", "-j", "2", "-f", archive).succeeded();
    dropShop();
    program("pg_restore", "-d", "app", "-j", "2", archive).succeeded();
    assertRestored(before);
  }

  /** Partitions' own constraints cannot be dropped, as at a server alone. */
  @Test
  void archiveTakesThePlaceOfWhatIsThere() throws Exception {
    String archive = folder.resolve("clean.dump").toString();
    program("psql", "-X", "-q", "-c", "drop table shop.part").succeeded();
    String before = dumpOfLeader();
    program("pg_dump", "-n", "shop", "-F", "c", "-f", archive).succeeded();
    program("psql", "-X", "-q", "-c", "delete from shop.customer").succeeded();
    program("pg_restore", "-d", "app", "--clean", "--if-exists", "-1", archive).succeeded();
    assertRestored(before);
  }

  @Test
  void rowsAloneAreRestoredIntoTablesThatAreThere() throws Exception {
    String before = dumpOfLeader();
    String archive = folder.resolve("rows.dump").toString();
    program("pg_dump", "-n", "shop", "-F", "c", "-f", archive).succeeded();
    program(
            "psql",
            "-X",
            "-q",
            "-c",
            "truncate shop.item, shop.customer, shop.note",
            "-c",
            "delete from shop.part")
        .succeeded();
    program("pg_restore", "-d", "app", "--data-only", archive).succeeded();
    assertRestored(before);
  }
}

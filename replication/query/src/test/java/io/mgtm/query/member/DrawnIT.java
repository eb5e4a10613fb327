package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.number;
import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Values that are drawn from sequences which the client's statement does not name: by functions,
 * triggers and defaults, or by what is no constant.
 */
class DrawnIT {
  private static final String MADE =
      "create sequence stamp; create sequence kept; create sequence expressed;"
          + " create table stamped (id int primary key, n bigint);"
          + " create function stamp() returns trigger language plpgsql as"
          + " 'begin new.n := nextval(''stamp''); return new; end';"
          + " create trigger stamp before insert on stamped for each row execute function stamp();"
          + " create table parted (id bigint default nextval('stamp') primary key, n int)"
          + " partition by range (id);"
          + " create table part partition of parted for values from (1) to (1000000)";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", MADE);
    cluster.sql("app", "create sequence hidden");
    cluster.sql(
        "app",
        "create function hidden() returns bigint security definer language sql"
            + " as 'select nextval(''public.hidden'')'");
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  private static void assertAhead(String sequence, long drawn) throws SQLException {
    assertThat(cluster.nextElsewhere(sequence))
        .as("%s after %d", sequence, drawn)
        .allMatch(next -> next > drawn && next <= drawn + 33);
  }

  /** From one that the client itself may not look at. */
  @Test
  void byFunctions() throws Exception {
    try (Connection alice = cluster.alice()) {
      for (int i = 1; i < 80; i++) {
        assertThat(number(alice, "select hidden()")).isEqualTo(i);
        assertAhead("hidden", i);
      }
      alice.setAutoCommit(false);
      run(alice, "savepoint s", "select hidden()", "rollback to s");
      assertThat(number(alice, "select hidden()")).isEqualTo(81);
      alice.commit();
      assertAhead("hidden", 81);
      run(alice, "do $$ begin perform nextval('kept') from generate_series(1, 70); end $$");
      alice.commit();
      assertAhead("kept", 70);
      // Set back at the leader, and the others are further.
      run(alice, "do $$ begin perform setval('kept', 5); end $$");
      assertThat(number(alice, "select nextval('kept')")).isEqualTo(6);
      alice.commit();
      assertThat(cluster.nextElsewhere("kept")).allMatch(next -> next > 70);
    }
  }

  @Test
  void byTriggersAndDefaults() throws Exception {
    try (Connection alice = cluster.alice()) {
      for (int i = 1; i < 80; i++) {
        run(alice, "insert into stamped values (%d)".formatted(i));
        assertAhead("stamp", cluster.number("select max(n) from stamped"));
      }
      run(alice, "insert into parted (n) select generate_series(1, 100)");
      assertAhead("stamp", cluster.number("select max(id) from parted"));
    }
    cluster.assertAlike();
  }

  @Test
  void byParametersAndExpressions() throws Exception {
    try (Connection alice = cluster.alice();
        PreparedStatement named = alice.prepareStatement("select nextval(?::text::regclass)")) {
      named.setString(1, "expressed");
      for (int i = 1; i < 40; i++) {
        try (ResultSet rows = named.executeQuery()) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getLong(1)).isEqualTo(i);
        }
        assertAhead("expressed", i);
      }
      assertThat(number(alice, "select setval(('expr' || 'essed')::regclass, 7)")).isEqualTo(7);
      assertThat(cluster.nextElsewhere("expressed")).containsOnly(40L);
    }
  }
}

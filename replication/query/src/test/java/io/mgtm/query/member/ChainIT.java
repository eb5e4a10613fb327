package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.assertFails;
import static io.mgtm.query.member.Sql.run;
import static io.mgtm.query.member.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** AND CHAIN, before two servers. */
class ChainIT {
  private static final String SET =
      "select current_setting('transaction_isolation') || ' ' ||"
          + " current_setting('transaction_read_only') || ' ' ||"
          + " current_setting('transaction_deferrable')";

  private static final String COUNT = "select count(*) from item";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;
  private Connection alice;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table item (id int primary key)");
    cluster.startReplicator();
  }

  @BeforeEach
  void begin() throws Exception {
    alice = cluster.alice();
    run(alice, "delete from item");
  }

  @AfterEach
  void end() throws Exception {
    alice.close();
    cluster.assertAlike();
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
  void oneBeginsAsTheOtherHadBegun(String level) throws Exception {
    run(alice, "begin isolation level " + level);
    run(alice, "insert into item values (1)");
    run(alice, "commit and chain");
    assertThat(text(alice, SET)).isEqualTo(level + " off off");
    run(alice, "savepoint s");
    run(alice, "insert into item values (2)");
    assertFails("23505", () -> run(alice, "insert into item values (1)"));
    run(alice, "rollback and chain");
    assertThat(text(alice, SET)).isEqualTo(level + " off off");
    assertFails("3B001", () -> run(alice, "rollback to s"));
    run(alice, "commit and chain"); // It has failed, and so is rolled back.
    run(alice, "insert into item values (3)");
    run(alice, "commit and no chain");
    assertThat(text(alice, SET)).isEqualTo("read committed off off");
    assertThat(cluster.number(COUNT)).isEqualTo(2);
  }

  @Test
  void whatWasReadOnlyStaysSo() throws Exception {
    run(alice, "begin isolation level serializable read only deferrable");
    text(alice, COUNT);
    run(alice, "commit and chain");
    assertThat(text(alice, SET)).isEqualTo("serializable on on");
    run(alice, "rollback and chain");
    assertThat(text(alice, SET)).isEqualTo("serializable on on");
    run(alice, "rollback");
    run(alice, "begin read only");
    text(alice, COUNT);
    run(alice, "rollback and chain");
    assertFails("25006", () -> run(alice, "insert into item values (4)"));
    // The server would begin one that may write.
    assertFails("0A000", () -> run(alice, "rollback and chain"));
    run(alice, "rollback");
    run(alice, "insert into item values (4)");
    assertThat(cluster.number(COUNT)).isOne();
  }

  /** Two transactions that read what the other writes, each the second of a chain. */
  @Test
  void whatIsSerializableIsChecked() throws Exception {
    run(alice, "insert into item values (5), (6)");
    try (Connection other = cluster.alice()) {
      for (Connection one : new Connection[] {alice, other}) {
        one.createStatement().execute("begin isolation level serializable");
        one.createStatement().execute("commit and chain");
        one.createStatement().executeQuery("select sum(id) from item").close();
      }
      run(alice, "insert into item values (7)");
      other.createStatement().execute("insert into item values (8)");
      run(alice, "commit and chain");
      assertFails("40001", () -> other.createStatement().execute("commit and chain"));
      run(alice, "insert into item values (9)");
      run(alice, "commit");
    }
    assertThat(cluster.number(COUNT)).isEqualTo(4);
  }

  @Test
  void outsideOfATransactionItIsRefused() throws Exception {
    assertFails("25P01", () -> run(alice, "commit and chain"));
    assertFails("25P01", () -> run(alice, "rollback and chain"));
    assertFails(
        "25P01",
        () ->
            run(
                alice,
                "insert into item values (10); savepoint x; insert into item values (11);"
                    + " rollback to x"));
    assertFails("25P01", () -> run(alice, "select 1; savepoint x"));
    run(alice, "insert into item values (12); begin; savepoint x; rollback to x; rollback");
    assertFails("25P01", () -> run(alice, "insert into item values (10); commit and chain"));
    assertThat(cluster.number(COUNT)).isZero();
  }

  /** What the client's transaction was is not known to the server that has come in its place. */
  @Test
  void whereTheLeaderDies() throws Exception {
    run(alice, "begin isolation level repeatable read");
    run(alice, "insert into item values (11)");
    run(alice, "commit and chain");
    run(alice, "insert into item values (12)");
    Postgres leader = cluster.servers.get(0);
    leader.kill();
    cluster.awaitIn(1);
    assertFails("40001", () -> text(alice, COUNT));
    assertFails("0A000", () -> run(alice, "rollback and chain"));
    run(alice, "rollback");
    run(alice, "begin");
    run(alice, "commit and chain");
    run(alice, "insert into item values (13)");
    run(alice, "commit");
    leader.startAgain();
    cluster.awaitIn(2);
    assertThat(cluster.number(COUNT)).isEqualTo(2);
  }
}

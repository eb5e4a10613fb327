package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.LabelRenames;
import io.mgtm.query.fleet.OrderLog;
import io.mgtm.query.order.Part;
import io.mgtm.testing.Await;
import io.mgtm.testing.LogLines;
import io.mgtm.testing.OwnAddress;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The disk of the log of commits is full. */
class FullLogIT {
  private static final List<String> NAMES = List.of("q1", "q2", "q3");
  private static final LogSettings SMALL = new LogSettings(1 << 20, 2, 8, 2_000, 500);

  private static final int FILES_AHEAD = LogSettings.defaults().sparesAhead();

  /** So much of the log is kept that no checkpoint makes room. */
  private static final long LOG_BYTES = 1 << 30;

  private static final int TAIL_BYTES = 1 << 20;
  private static final int TICK_MS = 10;
  private static final int ROW_BYTES = 1_000_000;

  @RegisterExtension private final LogLines lines = new LogLines("io.mgtm.group");

  @TempDir private Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<Path> mounted = new ArrayList<>();
  private final Map<String, CommitLog> leading = new ConcurrentHashMap<>();
  private final EventLoop loop = new DefaultEventLoop();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
    loop.shutdownGracefully();
    for (Path disk : mounted) {
      // Lazily: this process holds mappings of the log until they are collected.
      shell("umount -l " + disk).succeeded();
    }
  }

  private Tools.Result shell(String script) throws Exception {
    return Tools.run(folder, Map.of(), List.of("/bin/sh", "-c", script));
  }

  private Path disk(String name, String size) throws Exception {
    Path disk = Files.createDirectories(folder.resolve(name));
    Tools.Result done = shell("mount -t tmpfs -o size=%s mgtm %s".formatted(size, disk));
    if (done.code() != 0) {
      System.out.println("SKIPPED: no file system can be mounted here: " + done.output());
    }
    Assumptions.assumeTrue(done.code() == 0, "SKIPPED: no file system can be mounted here");
    mounted.add(disk);
    return disk;
  }

  /** Takes all the room that is left. */
  private void fill(Path disk) throws Exception {
    shell("cat /dev/zero >%s/filler 2>/dev/null".formatted(disk));
  }

  /** Null when it was decided; else why not. */
  private String commit(CommitLog commits, int bytes) {
    CompletableFuture<String> told = new CompletableFuture<>();
    CommitLog.Done done =
        new CommitLog.Done() {
          @Override
          public void decided(long number, long settled) {
            told.complete(null);
          }

          @Override
          public void refused(String why) {
            told.complete(why);
          }

          @Override
          public void inDoubt(String why) {
            told.complete(why);
          }
        };
    Part part = new Part("app", 1, ByteBuffer.allocate(bytes));
    loop.execute(() -> commits.commit(part, LabelRenames.Of.NONE, loop, done));
    return told.join();
  }

  private String commitUntilItIsFull(CommitLog commits, int bytes) {
    String why = null;
    while (why == null) {
      why = commit(commits, bytes);
    }
    return why;
  }

  private static long files(Path log) throws IOException {
    try (Stream<Path> all = Files.list(log)) {
      return all.filter(one -> one.toString().endsWith(".seg")).count();
    }
  }

  private void awaitLine(String begin) {
    Await.until(
        "the log says: " + begin,
        () -> lines.list().stream().anyMatch(line -> line.getMessage().startsWith(begin)));
  }

  @Test
  void aloneItSaysSoUntilThereIsRoom() throws Exception {
    Path disk = disk("disk", "56m");
    OrderLog order = OrderLog.alone(disk.resolve("log"), 2 * LOG_BYTES);
    open.add(order);
    assertThat(order.noRoom()).isEmpty();
    Await.until("files ahead to be made", () -> files(disk.resolve("log")) == FILES_AHEAD + 1);
    fill(disk);

    assertThat(commitUntilItIsFull(order.commits(), ROW_BYTES)).contains("free some space");

    assertThat(order.noRoom()).contains("free some space");
    awaitLine("No checkpoint at index"); // One would make room.
    shell("rm %s/filler && mount -o remount,size=256m %s".formatted(disk, disk)).succeeded();
    // It is not asked meanwhile, and knows it when it is.
    awaitLine("There is room for the log again");
    assertThat(order.noRoom()).isEmpty();
    assertThat(commit(order.commits(), ROW_BYTES)).isNull();
  }

  private OrderLog member(int number, List<InetSocketAddress> at, Path disk) throws Exception {
    String name = NAMES.get(number);
    GroupSettings settings =
        new GroupSettings(
            name,
            new Configured(NAMES, ""),
            DurabilityMode.CRITICAL,
            SMALL,
            CoreSettings.defaults(),
            LOG_BYTES,
            TAIL_BYTES,
            TICK_MS);
    OrderLog member =
        OrderLog.member(
            disk.resolve("log"),
            settings,
            JGroupsSettings.of("full", at.get(number), at),
            commits -> {
              leading.put(name, commits);
              commits.ended().thenRun(() -> leading.remove(name, commits));
            });
    open.add(member);
    return member;
  }

  private String leader() {
    Await.until("one leads", () -> leading.size() == 1);
    return leading.keySet().iterator().next();
  }

  @Test
  void anotherLeadsWhoHasRoom() throws Exception {
    List<InetSocketAddress> at = OwnAddress.addresses(NAMES.size());
    for (int i = 0; i < NAMES.size(); i++) {
      member(i, at, disk(NAMES.get(i), "24m"));
    }
    String full = leader();
    assertThat(commit(leading.get(full), 1)).isNull();
    fill(folder.resolve(full));

    commitUntilItIsFull(leading.get(full), ROW_BYTES / 4);

    Await.until(
        "another one leads and has room",
        () ->
            leading.entrySet().stream()
                .filter(one -> !one.getKey().equals(full))
                .anyMatch(one -> commit(one.getValue(), ROW_BYTES / 4) == null));
  }

  private static void insert(Connection alice, int number) throws SQLException {
    try (PreparedStatement insert = alice.prepareStatement("insert into big values (?, ?)")) {
      insert.setInt(1, number);
      insert.setString(2, "x".repeat(ROW_BYTES));
      insert.execute();
    }
  }

  @Test
  @Tag("long")
  void clientsAreToldWhy() throws Exception {
    Tools.needPostgres();
    Cluster cluster = new Cluster(folder, 1, "dtp", "create table big (n int primary key, t text)");
    open.add(cluster::close);
    Path disk = disk("state", "56m");
    cluster.startReplicator();
    fill(disk);
    try (Connection alice = cluster.alice()) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; true; i++) {
                  insert(alice, i);
                }
              })
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("the log of commits takes no more")
          .extracting(e -> ((SQLException) e).getSQLState())
          .isEqualTo("53100");
      nothingStaysPrepared(cluster);
      JsonNode health = Tools.ask(cluster.replicator.admin(), "/health");
      assertThat(health.path("status").asText()).isEqualTo("down");
      assertThat(health.path("reason").asText()).startsWith("nothing can be written: ");

      shell("rm %s/filler && mount -o remount,size=256m %s".formatted(disk, disk)).succeeded();
      Await.until(
          "it is well",
          () ->
              Tools.ask(cluster.replicator.admin(), "/health")
                  .path("status")
                  .asText()
                  .equals("up"));
      insert(alice, -1);
    }
  }

  /** As a role of which the session is none any more when it is refused. */
  private static void nothingStaysPrepared(Cluster cluster) throws Exception {
    Postgres server = cluster.servers.get(0);
    server.sql(
        "app", "create role worker; grant worker to alice, mgtm; grant all on big to worker");
    try (Connection alice = cluster.alice()) {
      alice.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      alice.setAutoCommit(false);
      for (int i = 0; i < 2; i++) {
        alice.createStatement().execute("set local role worker");
        insert(alice, -2);
        assertThatThrownBy(alice::commit)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53100"));
        assertThat(server.number("select count(*) from pg_prepared_xacts")).isZero();
      }
    }
  }

  @Test
  @Tag("long")
  void clientsGoOnAtOneThatHasRoom() throws Exception {
    Tools.needPostgres();
    Cluster cluster = new Cluster(folder, 2, "dtp", "create table big (n int primary key, t text)");
    open.add(cluster::close);
    for (String name : NAMES) {
      disk(name, "160m");
    }
    Replicators replicators = new Replicators(cluster, NAMES.size());
    open.add(0, replicators::close);
    replicators.startAll();
    replicators.awaitWhole();
    replicators.awaitServersIn();
    int full = replicators.awaitServing();
    fill(folder.resolve(NAMES.get(full)));
    String insert =
        "insert into big select coalesce(max(n), 0) + 1, repeat('x', "
            + 3 * ROW_BYTES
            + ") from big";

    Await.until(
        "another one serves",
        () -> {
          replicators.psql(insert);
          return replicators.awaitServing() != full;
        });

    Await.until("it writes", () -> replicators.psql(insert).code() == 0);
    replicators.awaitServersIn();
    assertThat(cluster.number("select count(*) from big")).isPositive();
  }
}

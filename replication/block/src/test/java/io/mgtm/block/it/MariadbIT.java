package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * MariaDB on a synchronously replicated volume, with the commands and settings of
 * docs/operations.md: clients insert, the primary's agent and the server are killed, the secondary
 * is promoted and mounted, InnoDB recovers, and what was answered is looked for.
 */
@Tag("long")
class MariadbIT {
  private static final int CLIENTS = 3;
  private static final int COMMITS = 150;

  /** One client of the command line: inserts 1, 2, 3, … and hears of each commit. */
  private static final class Inserter {
    final AtomicInteger committed = new AtomicInteger();
    private final Process process;
    private final Thread feeding;
    private final Thread hearing;

    Inserter(List<String> command, int client) throws IOException {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      feeding = new Thread(() -> feed(client), "feed-" + client);
      hearing = new Thread(this::hear, "hear-" + client);
      feeding.start();
      hearing.start();
    }

    private void feed(int client) {
      try (Writer out = process.outputWriter(StandardCharsets.UTF_8)) {
        for (int n = 1; process.isAlive(); n++) {
          out.write("insert into seen values (" + client + "," + n + "); select " + n + ";\n");
          out.flush();
        }
      } catch (IOException e) {
        // The server was killed, and its client is gone.
        process.destroy();
      }
    }

    private void hear() {
      try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          committed.set(Integer.parseInt(line.strip()));
        }
      } catch (IOException e) {
        process.destroy();
      }
    }

    void close() throws InterruptedException {
      process.destroy();
      process.waitFor(180, TimeUnit.SECONDS);
      feeding.join(20_000);
      hearing.join(20_000);
    }
  }

  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;
  private Mounts mounts;
  private Process server;
  private Path socket;

  @BeforeEach
  void need() throws Exception {
    mounts = new Mounts(folder);
    mounts.need();
    Tools.need("mariadbd", "mariadb-install-db", "mariadb", "mariadb-admin");
  }

  @AfterEach
  void cleanUp() throws Exception {
    if (server != null) {
      server.destroyForcibly().waitFor();
    }
    mounts.release();
    for (VolumeProcess volume : Arrays.asList(left, right)) {
      if (volume != null) {
        volume.close();
      }
    }
  }

  @Test
  void whatMariadbCommittedSurvivesTheMachine() throws Exception {
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .listening()
            .receiving()
            .with("--size", "512M")
            .start();
    left =
        new VolumeProcess(folder, "left", 0)
            .listening()
            .with("--size", "512M")
            .replica(right, "sync")
            .start();
    Tools.run(folder, "chmod", "755", folder.toString()).succeeded();
    Path data = data(mounts.mount(left, true));
    Tools.run(folder, "install", "-d", "-o", user(), "-m", "700", data.toString()).succeeded();
    Tools.run(
            folder,
            "mariadb-install-db",
            "--no-defaults",
            "--user=" + user(),
            "--datadir=" + data,
            "--auth-root-authentication-method=normal",
            "--skip-test-db")
        .succeeded();
    startServer(data);
    sql("create database app; create table app.seen (client int, n int, primary key (client, n))");
    left.awaitUpToDate();
    int[] committed = insertAndKill();
    mounts.release();

    Await.until("the source is gone", () -> right.status().path("upstream").isNull());
    assertThat(right.ask("promote", "force", true).path("ok").asBoolean()).isTrue();
    startServer(data(mounts.mount(right, false)));
    check(committed);
    Tools.run(folder, "mariadb-admin", "--no-defaults", "--socket=" + socket, "shutdown")
        .succeeded();
    server.waitFor(180, TimeUnit.SECONDS);
    mounts.unmount();
    Tools.Result fsck = Tools.run(folder, "e2fsck", "-fn", right.file().toString());
    assertThat(fsck.code()).as("fsck: %s", fsck.output()).isZero();
  }

  /** The server does not run as root; only its whole package makes a user for it. */
  private static String user() throws IOException {
    try (Stream<String> users = Files.lines(Path.of("/etc/passwd"))) {
      return users.anyMatch(user -> user.startsWith("mysql:")) ? "mysql" : "nobody";
    }
  }

  private static Path data(Path mounted) {
    return mounted.resolve("mysql");
  }

  private void startServer(Path data) throws Exception {
    Path own = Files.createDirectories(data.getParent().getParent().resolve("run"));
    Tools.run(folder, "chown", user(), own.toString()).succeeded();
    socket = own.resolve("mysqld.sock");
    Path settings = own.resolve("my.cnf");
    Files.writeString(
        settings,
        """
        [mariadb]
        innodb_flush_log_at_trx_commit = 1
        innodb_flush_method = fsync
        log_bin = binlog
        sync_binlog = 1
        skip_networking
        innodb_buffer_pool_size = 32M
        innodb_log_file_size = 32M
        """);
    Path log = own.resolve("log");
    server =
        new ProcessBuilder(
                "mariadbd",
                "--defaults-file=" + settings,
                "--user=" + user(),
                "--datadir=" + data,
                "--socket=" + socket,
                "--pid-file=" + own.resolve("pid"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Await.until(
        "MariaDB answers",
        () -> {
          if (!server.isAlive()) {
            throw new AssertionError("MariaDB ended:\n" + Files.readString(log));
          }
          return Tools.run(folder, "mariadb-admin", "--no-defaults", "--socket=" + socket, "ping")
                  .code()
              == 0;
        });
  }

  private List<String> client(String... more) {
    List<String> command =
        new ArrayList<>(List.of("mariadb", "--no-defaults", "--socket=" + socket, "-u", "root"));
    command.addAll(List.of("-N", "-B", "-n"));
    command.addAll(List.of(more));
    return command;
  }

  private String sql(String query) throws Exception {
    return Tools.run(folder, java.util.Map.of(), client("-e", query)).succeeded().output().strip();
  }

  private int[] insertAndKill() throws Exception {
    List<Inserter> inserters = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      inserters.add(new Inserter(client("app"), i));
    }
    try {
      Await.until(
          COMMITS + " commits of each client",
          () -> inserters.stream().allMatch(one -> one.committed.get() >= COMMITS));
    } finally {
      left.kill();
      server.destroyForcibly().waitFor();
      for (Inserter one : inserters) {
        one.close();
      }
    }
    return inserters.stream().mapToInt(one -> one.committed.get()).toArray();
  }

  private void check(int[] committed) throws Exception {
    int lost = 0;
    for (int client = 0; client < CLIENTS; client++) {
      String[] row =
          sql("select count(*), coalesce(max(n), 0) from app.seen where client = " + client)
              .split("\\s+", -1);
      int present = Integer.parseInt(row[0]);
      assertThat(present)
          .as("client %d: its rows are a prefix", client)
          .isEqualTo(Integer.parseInt(row[1]));
      lost += Math.max(0, committed[client] - present);
    }
    System.out.printf(
        "MariaDB on a volume: clients saw %d commits, %d are lost%n",
        Arrays.stream(committed).sum(), lost);
    assertThat(lost).as("committed rows that are lost").isZero();
    assertThat(sql("check table app.seen extended")).endsWith("OK");
  }
}

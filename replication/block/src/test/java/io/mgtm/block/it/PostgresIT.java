package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL on a volume through nbdfuse, a loop device and ext4. pgbench runs on the primary; the
 * primary's agent and the database are killed; the secondary is promoted and mounted, PostgreSQL
 * recovers, and what pgbench saw committed is looked for.
 */
class PostgresIT {
  private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
  private static final int CLIENTS = 4;
  private static final int PORT = 54_329;

  /** Before the line stands still, and while it does. */
  private static final int COMMITS = 200;

  private static final long QUEUED_BYTES_MAX = 256 << 10;

  @TempDir Path folder;
  private Path sockets = Path.of("s");
  private VolumeProcess left;
  private VolumeProcess right;
  private StallingRelay relay;

  /** The process ids of the servers that were started. */
  private final Set<String> servers = new HashSet<>();

  /** The shared memory that servers killed before have left, whose process ids come again. */
  private final Set<String> foreignSegments = new HashSet<>();

  private Mounts mounts;

  @BeforeEach
  void need() throws Exception {
    segments().forEach(segment -> foreignSegments.add(segment[1]));
    mounts = new Mounts(folder);
    mounts.need();
    Tools.need("pgbench", "initdb");
  }

  @AfterEach
  void cleanUp() throws Exception {
    mounts.release();
    for (AutoCloseable one : Arrays.asList(left, right, relay)) {
      if (one != null) {
        one.close();
      }
    }
  }

  @Test
  void whatPgbenchSawCommittedSurvivesTheMachine() throws Exception {
    surviveTheMachine("sync");
  }

  @Test
  @Tag("long")
  void aPrefixOfWhatPgbenchSawCommittedSurvivesTheMachine() throws Exception {
    surviveTheMachine("async");
  }

  private void surviveTheMachine(String mode) throws Exception {
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .listening()
            .receiving()
            .with("--size", "512M", "--path-timeout-ms", "120000")
            .start();
    relay = new StallingRelay(right.receivePort);
    left =
        new VolumeProcess(folder, "left", 0)
            .listening()
            .with("--size", "512M", "--path-timeout-ms", "120000")
            .with("--replica", relay.address(), "--mode", mode)
            .start();
    Path here = mounts.mount(left, true);
    Path data = here.resolve("pg");
    Tools.run(folder, "install", "-d", "-o", "postgres", "-m", "700", data.toString()).succeeded();
    postgres(PROGRAMS + "/initdb --no-sync -D " + data + " -A trust -E UTF8 --locale=C");
    Tools.run(folder, "sync", "-f", here.toString()).succeeded();
    startDatabase(data);
    sql("create table seen(client int, n int, primary key (client, n))");
    postgres(PROGRAMS + "/pgbench -h " + sockets + " -p " + PORT + " -i -q -s 2 postgres");
    left.awaitUpToDate();
    Path logs = runPgbenchAndKill(data, mode.equals("async"));
    mounts.release();
    relay.close();
    Await.until("the source is gone", () -> right.status().path("upstream").isNull());

    assertThat(right.ask("promote", "force", true).path("ok").asBoolean()).isTrue();
    Path there = mounts.mount(right, false).resolve("pg");
    Files.deleteIfExists(there.resolve("postmaster.pid"));
    startDatabase(there);
    check(mode, BenchLog.read(logs));
    postgres(PROGRAMS + "/pg_ctl -D " + there + " -m fast -w stop");
    mounts.unmount();
    Tools.Result fsck = Tools.run(folder, "e2fsck", "-fn", right.file().toString());
    assertThat(fsck.code()).as("fsck: %s", fsck.output()).isZero();
    assertThat(segments())
        .as("shared memory left behind")
        .noneMatch(segment -> servers.contains(segment[4]));
  }

  /** Those that PostgreSQL leaves behind when it is killed, also after it has restarted itself. */
  private void removeSegmentsOf(String pid) throws Exception {
    for (String[] segment : segments()) {
      if (segment[4].equals(pid)) {
        Tools.run(folder, "ipcrm", "-m", segment[1]).succeeded();
      }
    }
  }

  /** System V's new segments: key, id, permissions, size, maker's and last user's pid, users. */
  private List<String[]> segments() throws IOException {
    return Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
        .skip(1)
        .map(line -> line.strip().split(" +"))
        .filter(segment -> !foreignSegments.contains(segment[1]))
        .toList();
  }

  private void check(String mode, List<BenchLog.Transaction> committed) throws Exception {
    int[] present = new int[CLIENTS];
    for (int client = 0; client < CLIENTS; client++) {
      String[] row =
          sql("select count(*) || ' ' || coalesce(max(n), 0) from seen where client = " + client)
              .split(" ", -1);
      present[client] = Integer.parseInt(row[0]);
      assertThat(present[client])
          .as("client %d: its transactions are a prefix", client)
          .isEqualTo(Integer.parseInt(row[1]));
    }
    List<BenchLog.Transaction> lost = new ArrayList<>();
    List<BenchLog.Transaction> kept = new ArrayList<>();
    for (BenchLog.Transaction one : committed) {
      (one.number() > present[one.client()] ? lost : kept).add(one);
    }
    System.out.printf(
        "PostgreSQL on a volume, %s: pgbench saw %d commits, %d are there, the last %d are lost%n",
        mode, committed.size(), kept.size(), lost.size());
    assertThat(kept).isNotEmpty();
    assertThat(sql("select count(*) from pgbench_accounts")).isEqualTo("200000");
    assertThat(sql("select sum(abalance) from pgbench_accounts"))
        .as("both tables tell of the same transactions")
        .isEqualTo(sql("select count(*) from seen"));
    if (mode.equals("sync")) {
      assertThat(lost).as("committed transactions that are lost").isEmpty();
      return;
    }
    assertThat(lost).as("commits made while the line stood still").hasSizeGreaterThan(COMMITS / 2);
    // A prefix of the whole: nothing is lost that was committed before something kept had begun.
    long firstLostUs = lost.stream().mapToLong(BenchLog.Transaction::endedUs).min().orElseThrow();
    long lastKeptUs = kept.stream().mapToLong(BenchLog.Transaction::beganUs).max().orElseThrow();
    assertThat(firstLostUs)
        .as("the first lost commit was answered after the last kept one began")
        .isGreaterThan(lastKeptUs);
  }

  private Path runPgbenchAndKill(Path data, boolean stall) throws Exception {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    Tools.run(folder, "chmod", "-R", "777", logs.toString()).succeeded();
    Tools.run(folder, "chmod", "755", folder.toString()).succeeded();
    Path script = logs.resolve("script.sql");
    Files.writeString(
        script,
        """
        \\set n :n + 1
        \\set aid random(1, 200000)
        begin;
        update pgbench_accounts set abalance = abalance + 1 where aid = :aid;
        insert into seen values (:client_id, :n);
        end;
        """);
    CompletableFuture<Void> bench =
        CompletableFuture.runAsync(
            () -> {
              try {
                Tools.run(
                    folder,
                    "su",
                    "postgres",
                    "-s",
                    "/bin/sh",
                    "-c",
                    "cd "
                        + logs
                        + " && "
                        + PROGRAMS
                        + "/pgbench -h "
                        + sockets
                        + " -p "
                        + PORT
                        + " -n -c "
                        + CLIENTS
                        + " -D n=0 -T 360 -l -f "
                        + script
                        + " postgres");
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    awaitCommits(COMMITS);
    if (stall) {
      stallTheLine();
    }
    String pid = pidOf(data);
    left.kill();
    // The server first: it begins anew, with new shared memory, when a child of it ends.
    Tools.run(folder, "bash", "-c", "kill -9 " + pid + " $(pgrep -P " + pid + ")").succeeded();
    bench.get(180, TimeUnit.SECONDS);
    removeSegmentsOf(pid);
    return logs;
  }

  /** What follows is committed here and never leaves. */
  private void stallTheLine() throws Exception {
    Await.until(
        "nearly all before is on its way",
        () -> left.link(0).path("queuedBytes").asLong() < QUEUED_BYTES_MAX);
    relay.stall();
    awaitCommits(seen() + COMMITS);
    assertThat(left.isUpToDate()).as("the link holds").isTrue();
  }

  private int seen() throws Exception {
    return Integer.parseInt(sql("select count(*) from seen"));
  }

  private void awaitCommits(int wanted) throws Exception {
    Await.until(wanted + " commits", () -> seen() >= wanted);
  }

  private void startDatabase(Path data) throws Exception {
    sockets = folder.resolve("sockets-" + sockets.getFileName());
    Tools.run(folder, "install", "-d", "-o", "postgres", sockets.toString()).succeeded();
    try {
      postgres(
          PROGRAMS
              + "/pg_ctl -D "
              + data
              + " -w -t 100 -l "
              + sockets
              + "/log -o \"-p "
              + PORT
              + " -k "
              + sockets
              + " -c listen_addresses='' -c shared_buffers=64MB"
              // A killed server would leave its segments of POSIX shared memory behind.
              + " -c dynamic_shared_memory_type=mmap\" start");
    } catch (AssertionError e) {
      throw new AssertionError(
          "PostgreSQL did not start:\n" + Files.readString(sockets.resolve("log")), e);
    }
    servers.add(pidOf(data));
  }

  private static String pidOf(Path data) throws IOException {
    return Files.readAllLines(data.resolve("postmaster.pid")).get(0);
  }

  private void postgres(String command) throws Exception {
    Tools.run(folder, "chmod", "755", folder.toString());
    Tools.run(Path.of("/tmp"), "su", "postgres", "-s", "/bin/sh", "-c", command).succeeded();
  }

  private String sql(String query) throws Exception {
    Tools.Result result =
        Tools.run(
            Path.of("/tmp"),
            "su",
            "postgres",
            "-s",
            "/bin/sh",
            "-c",
            PROGRAMS + "/psql -h " + sockets + " -p " + PORT + " -XAtc \"" + query + "\" postgres");
    return result.succeeded().output().strip();
  }
}

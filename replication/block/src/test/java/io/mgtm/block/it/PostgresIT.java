package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * PostgreSQL on a volume through nbdfuse, a loop device and ext4. pgbench runs on the primary; the
 * primary's agent and the database are killed; the secondary is promoted and mounted, PostgreSQL
 * recovers, and what pgbench saw committed is looked for.
 */
class PostgresIT {
  private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");
  private static final int CLIENTS = 4;
  private static final int PORT = 54_329;

  @TempDir Path folder;
  private Path sockets = Path.of("s");
  private VolumeProcess left;
  private VolumeProcess right;
  private final List<String[]> undo = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  @BeforeEach
  void need() throws Exception {
    Tools.need("nbdfuse", "fusermount3", "losetup", "mkfs.ext4", "pgbench", "initdb");
    Assumptions.assumeTrue(
        Files.exists(Path.of("/dev/fuse")) && Files.exists(Path.of("/dev/loop-control")),
        "SKIPPED: /dev/fuse or loop devices are missing");
    Assumptions.assumeTrue(
        "0".equals(Tools.run(folder, 10, "id", "-u").output().strip()),
        "SKIPPED: mounting needs root");
  }

  @AfterEach
  void cleanUp() throws Exception {
    for (int i = undo.size() - 1; i >= 0; i--) {
      Tools.run(folder, 60, undo.get(i));
    }
    for (Process process : processes) {
      process.destroy();
      process.waitFor(20, TimeUnit.SECONDS);
    }
    left.close();
    right.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sync", "async"})
  void whatPgbenchSawCommittedSurvivesTheMachine(String mode) throws Exception {
    right =
        new VolumeProcess(folder, "right", Ports.free())
            .listening()
            .receiving()
            .with("--size", "512M")
            .start();
    left =
        new VolumeProcess(folder, "left", 0)
            .listening()
            .with("--size", "512M")
            .replica(right, mode)
            .start();
    Path here = mount(left, true);
    Path data = here.resolve("pg");
    Tools.run(folder, 10, "install", "-d", "-o", "postgres", "-m", "700", data.toString())
        .succeeded();
    postgres(120, PROGRAMS + "/initdb -D " + data + " -A trust -E UTF8 --locale=C");
    startDatabase(data);
    sql("create table seen(client int, n int, primary key (client, n))");
    postgres(120, PROGRAMS + "/pgbench -h " + sockets + " -p " + PORT + " -i -q -s 2 postgres");
    left.awaitUpToDate(120);
    Path logs = runPgbenchAndKill(data);
    releaseMount();

    assertThat(right.ask("promote").path("ok").asBoolean()).isTrue();
    Path there = mount(right, false).resolve("pg");
    Files.deleteIfExists(there.resolve("postmaster.pid"));
    startDatabase(there);
    check(mode, committed(logs));
    postgres(60, PROGRAMS + "/pg_ctl -D " + there + " -m fast -w stop");
    releaseMount();
    Tools.Result fsck = Tools.run(folder, 60, "e2fsck", "-fn", deviceOf(right).toString());
    assertThat(fsck.code()).as("fsck: %s", fsck.output()).isZero();
  }

  private Path deviceOf(VolumeProcess volume) {
    return volume.file();
  }

  private void check(String mode, Map<Integer, Integer> committed) throws Exception {
    int lost = 0;
    int total = 0;
    for (int client = 0; client < CLIENTS; client++) {
      String[] row =
          sql("select count(*) || ' ' || coalesce(max(n), 0) from seen where client = " + client)
              .split(" ", -1);
      int present = Integer.parseInt(row[0]);
      assertThat(present)
          .as("client %d: its transactions are a prefix", client)
          .isEqualTo(Integer.parseInt(row[1]));
      int seen = committed.getOrDefault(client, 0);
      total += seen;
      lost += Math.max(0, seen - present);
      if (mode.equals("sync")) {
        assertThat(present)
            .as("client %d: committed transactions present", client)
            .isGreaterThanOrEqualTo(seen);
      }
    }
    System.out.println(mode + ": pgbench saw " + total + " commits, " + lost + " were lost");
    assertThat(total).isGreaterThan(50);
    assertThat(sql("select count(*) from pgbench_accounts")).isEqualTo("200000");
  }

  private Path runPgbenchAndKill(Path data) throws Exception {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    Tools.run(folder, 10, "chmod", "-R", "777", logs.toString()).succeeded();
    Tools.run(folder, 10, "chmod", "755", folder.toString()).succeeded();
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
                    60,
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
                        + " -D n=0 -T 30 -l -f "
                        + script
                        + " postgres");
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(6));
    String pid = Files.readAllLines(data.resolve("postmaster.pid")).get(0);
    left.kill();
    Tools.run(folder, 20, "bash", "-c", "pkill -9 -P " + pid + "; kill -9 " + pid);
    bench.get(60, TimeUnit.SECONDS);
    return logs;
  }

  /** The highest transaction number that each client's log says is committed. */
  private static Map<Integer, Integer> committed(Path logs) throws IOException {
    Map<Integer, Integer> highest = new HashMap<>();
    try (Stream<Path> files = Files.list(logs)) {
      for (Path log :
          files.filter(f -> f.getFileName().toString().startsWith("pgbench_log")).toList()) {
        for (String line : Files.readAllLines(log)) {
          String[] fields = line.split(" ", -1);
          highest.merge(Integer.parseInt(fields[0]), Integer.parseInt(fields[1]), Math::max);
        }
      }
    }
    return highest;
  }

  private void startDatabase(Path data) throws Exception {
    sockets = folder.resolve("sockets-" + sockets.getFileName());
    Tools.run(folder, 10, "install", "-d", "-o", "postgres", sockets.toString()).succeeded();
    try {
      postgres(
          120,
          PROGRAMS
              + "/pg_ctl -D "
              + data
              + " -w -t 100 -l "
              + sockets
              + "/log -o \"-p "
              + PORT
              + " -k "
              + sockets
              + " -c listen_addresses='' -c shared_buffers=64MB\" start");
    } catch (AssertionError e) {
      throw new AssertionError(
          "PostgreSQL did not start:\n" + Files.readString(sockets.resolve("log")), e);
    }
  }

  private void postgres(int seconds, String command) throws Exception {
    Tools.run(folder, 10, "chmod", "755", folder.toString());
    Tools.run(Path.of("/tmp"), seconds, "su", "postgres", "-s", "/bin/sh", "-c", command)
        .succeeded();
  }

  private String sql(String query) throws Exception {
    Tools.Result result =
        Tools.run(
            Path.of("/tmp"),
            60,
            "su",
            "postgres",
            "-s",
            "/bin/sh",
            "-c",
            PROGRAMS + "/psql -h " + sockets + " -p " + PORT + " -XAtc \"" + query + "\" postgres");
    return result.succeeded().output().strip();
  }

  /** nbdfuse, a loop device, ext4. */
  private Path mount(VolumeProcess volume, boolean format) throws Exception {
    Path fuse = Files.createDirectories(volume.folder.resolve("fuse"));
    Path mounted = Files.createDirectories(volume.folder.resolve("mounted"));
    Process nbdfuse =
        new ProcessBuilder("nbdfuse", fuse.resolve("nbd").toString(), volume.uri())
            .redirectErrorStream(true)
            .redirectOutput(volume.folder.resolve("nbdfuse.log").toFile())
            .start();
    processes.add(nbdfuse);
    undo.add(new String[] {"fusermount3", "-u", "-z", fuse.toString()});
    Path disk = fuse.resolve("nbd");
    Tools.await("nbdfuse serves", 30, () -> Files.exists(disk));
    String loop =
        Tools.run(folder, 20, "losetup", "-f", "--show", disk.toString())
            .succeeded()
            .output()
            .strip();
    undo.add(new String[] {"losetup", "-d", loop});
    if (format) {
      Tools.run(folder, 60, "mkfs.ext4", "-q", loop).succeeded();
    }
    Tools.run(folder, 60, "mount", loop, mounted.toString()).succeeded();
    undo.add(new String[] {"umount", "-l", mounted.toString()});
    return mounted;
  }

  private void releaseMount() throws Exception {
    for (int i = undo.size() - 1; i >= 0; i--) {
      Tools.run(folder, 60, undo.get(i));
    }
    undo.clear();
    for (Process process : processes) {
      process.destroy();
      process.waitFor(20, TimeUnit.SECONDS);
    }
    processes.clear();
  }
}

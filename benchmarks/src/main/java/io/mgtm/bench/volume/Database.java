package io.mgtm.bench.volume;

import io.mgtm.group.net.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PostgreSQL on a volume: nbdfuse shows the volume as a file, a loop device makes a block device
 * of it, and ext4 lies on that. Root only. One thread.
 */
final class Database implements AutoCloseable {
  private static final int SECONDS_MAX = 300;
  private static final Pattern TPS = Pattern.compile("tps = ([0-9.]+) \\(without");
  private static final Pattern LATENCY = Pattern.compile("latency average = ([0-9.]+) ms");

  /**
   * What a run of pgbench gave.
   *
   * @param perSecond transactions a second
   * @param averageMs the mean latency
   */
  record Figures(double perSecond, double averageMs) {}

  /** A step of taking down. */
  @FunctionalInterface
  private interface Undo {
    void run() throws IOException, InterruptedException;
  }

  private final Path folder;
  private final Path programs;
  private final int port;
  private final Deque<Undo> undo = new ArrayDeque<>();

  private Database(Path folder, Path programs, int port) {
    this.folder = folder;
    this.programs = programs;
    this.port = port;
  }

  /** Why it cannot run here, or null. */
  static String missing() {
    for (String program : List.of("nbdfuse", "fusermount3", "losetup", "mkfs.ext4", "su")) {
      if (!Exec.has(program)) {
        return program + " is not installed";
      }
    }
    if (!Files.exists(Path.of("/dev/fuse")) || !Files.exists(Path.of("/dev/loop-control"))) {
      return "/dev/fuse or loop devices are missing";
    }
    if (!"root".equals(System.getProperty("user.name"))) {
      return "mounting needs root";
    }
    return Exec.postgres() == null ? "no PostgreSQL in /usr/lib/postgresql" : null;
  }

  /**
   * Makes a file system on the volume at {@code socket} and a database for pgbench on that.
   *
   * @param folder an empty folder for mounts and sockets
   * @param scale pgbench's scale
   */
  static Database create(Path folder, Path socket, int scale)
      throws IOException, InterruptedException {
    Database database = new Database(folder, Exec.postgres(), FreePorts.takeOne());
    try {
      database.mount(socket);
      database.begin(scale);
      return database;
    } catch (IOException | InterruptedException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private void mount(Path socket) throws IOException, InterruptedException {
    Exec.run(10, List.of("chmod", "755", folder.toString()));
    Path fuse = Files.createDirectories(folder.resolve("fuse"));
    Path disk = fuse.resolve("disk");
    String uri = "nbd+unix:///" + Programs.EXPORT + "?socket=" + socket;
    Servant server =
        Servant.start(
            "nbdfuse", folder, List.of("nbdfuse", disk.toString(), uri), () -> Files.exists(disk));
    undo.push(
        () -> {
          Exec.run(60, List.of("fusermount3", "-u", fuse.toString()));
          server.close();
        });
    String loop = Exec.run(20, List.of("losetup", "-f", "--show", disk.toString())).strip();
    undo.push(() -> Exec.run(60, List.of("losetup", "-d", loop)));
    Exec.run(120, List.of("mkfs.ext4", "-q", loop));
    Path mounted = Files.createDirectories(folder.resolve("mounted"));
    Exec.run(60, List.of("mount", loop, mounted.toString()));
    undo.push(() -> Exec.run(120, List.of("umount", mounted.toString())));
  }

  private void begin(int scale) throws IOException, InterruptedException {
    Path data = folder.resolve("mounted").resolve("pg");
    for (Path own : List.of(data, folder.resolve("run"))) {
      Exec.run(10, List.of("install", "-d", "-o", "postgres", "-m", "700", own.toString()));
    }
    asPostgres("initdb -D " + data + " -A trust -E UTF8 --locale=C");
    String settings =
        "-p "
            + port
            + " -k "
            + folder.resolve("run")
            + " -c listen_addresses= -c shared_buffers=256MB -c max_wal_size=4GB"
            + " -c checkpoint_timeout=1h -c autovacuum=off -c max_connections=100"
            + " -c dynamic_shared_memory_type=mmap";
    String log = folder.resolve("run").resolve("log").toString();
    asPostgres("pg_ctl -D " + data + " -w -t 100 -l " + log + " -o '" + settings + "' start");
    undo.push(() -> asPostgres("pg_ctl -D " + data + " -m fast -w -t 100 stop"));
    pgbench("-i -q -s " + scale);
    asPostgres("psql -h " + folder.resolve("run") + " -p " + port + " -Xqc checkpoint postgres");
  }

  private String asPostgres(String command) throws IOException, InterruptedException {
    String line = "cd / && " + programs + "/" + command;
    return Exec.run(SECONDS_MAX, List.of("su", "postgres", "-s", "/bin/sh", "-c", line));
  }

  private String pgbench(String arguments) throws IOException, InterruptedException {
    return asPostgres(
        "pgbench -h " + folder.resolve("run") + " -p " + port + " " + arguments + " postgres");
  }

  /** A run that does not count. */
  void warmUp(int clients, int seconds) throws IOException, InterruptedException {
    var unused = measure(clients, seconds);
  }

  /** pgbench's own mix, which is like TPC-B. */
  Figures measure(int clients, int seconds) throws IOException, InterruptedException {
    String text = pgbench("-n -j 2 -c " + clients + " -T " + seconds);
    return new Figures(number(TPS, text), number(LATENCY, text));
  }

  private static double number(Pattern pattern, String text) throws IOException {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new IOException("pgbench printed no figure: " + text.strip());
    }
    return Double.parseDouble(matcher.group(1));
  }

  /** Takes everything down that was put up, also when a step of it fails. */
  @Override
  public void close() throws IOException {
    IOException first = null;
    while (!undo.isEmpty()) {
      try {
        undo.pop().run();
      } catch (IOException e) {
        first = first == null ? e : first;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while " + folder + " was unmounted", e);
      }
    }
    if (first != null) {
      throw first;
    }
  }
}

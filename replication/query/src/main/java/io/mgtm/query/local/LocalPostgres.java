package io.mgtm.query.local;

import io.mgtm.common.HostPort;
import io.mgtm.group.net.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of one's own: its folder, its processes. Its superuser is {@code postgres},
 * and passwords are asked for by SCRAM. Any thread, one at a time; calls wait.
 */
public final class LocalPostgres implements AutoCloseable {
  /** The line of postmaster.pid with the key and id of its System V segment (pidfile.h). */
  private static final int SEGMENT_LINE = 6;

  /** Far more than a killed process takes to end on a busy machine. */
  private static final int KILL_S = 60;

  private static final int KILLED_MS = 2;

  /** What docs/query.md has for the replicator's own role, where tables have no triggers. */
  public static final String GRANTS =
      "GRANT SELECT ON pg_catalog.pg_authid TO mgtm;"
          + " GRANT pg_read_all_data, pg_write_all_data, pg_monitor, pg_signal_backend TO mgtm;"
          + " GRANT CREATE ON DATABASE postgres TO mgtm";

  private static final Path INSTALLED = Path.of("/usr/lib/postgresql");

  private final Path programs;
  private final Path folder;
  private final HostPort address;
  private final List<String> access;

  /**
   * One that is to be made or started.
   *
   * @param programs where initdb and its like are
   * @param folder of its own; other users must be able to enter those above it
   * @param access lines of its pg_hba.conf
   */
  public LocalPostgres(Path programs, Path folder, HostPort address, List<String> access) {
    this.programs = programs;
    this.folder = folder;
    this.address = address;
    this.access = List.copyOf(access);
  }

  /**
   * The folder of the newest installed server's programs.
   *
   * @throws IOException when there is none
   */
  public static Path installed() throws IOException {
    if (Files.isDirectory(INSTALLED)) {
      try (Stream<Path> versions = Files.list(INSTALLED)) {
        List<Path> found =
            versions
                .map(version -> version.resolve("bin"))
                .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                .sorted(Comparator.comparingInt(LocalPostgres::version))
                .toList();
        if (!found.isEmpty()) {
          return found.get(found.size() - 1);
        }
      }
    }
    throw new IOException(
        "there is no PostgreSQL server in "
            + INSTALLED
            + "; install Debian's package postgresql, or name the folder of initdb");
  }

  private static int version(Path bin) {
    String name = bin.getParent().getFileName().toString();
    return name.matches("\\d{1,4}") ? Integer.parseInt(name) : 0;
  }

  /** A loopback address that nobody uses now. */
  public static HostPort free() {
    return new HostPort("127.0.0.1", FreePorts.takeOne());
  }

  /**
   * The command of a client's program in the database postgres, as the superuser, at some place.
   */
  public static List<String> client(Path programs, String name, HostPort at, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                programs.resolve(name).toString(),
                "-h",
                at.host(),
                "-p",
                Integer.toString(at.port()),
                "-U",
                "postgres"));
    command.addAll(List.of(arguments));
    command.add("postgres");
    return command;
  }

  /** Where clients connect. */
  public HostPort address() {
    return address;
  }

  public Path log() {
    return folder.resolve("log");
  }

  private Path data() {
    return folder.resolve("data");
  }

  private static List<String> and(List<String> one, List<String> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }

  private void as(String program, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = and(List.of(programs.resolve(program).toString()), arguments);
    LocalProgram.succeed(folder, Map.of("HOME", "/nonexistent"), LocalProgram.asPostgres(command));
  }

  /** Its own folder, empty. */
  private void makeFolder() throws IOException {
    Files.createDirectories(folder);
    if (LocalProgram.isRoot()) {
      Files.setOwner(
          folder,
          FileSystems.getDefault()
              .getUserPrincipalLookupService()
              .lookupPrincipalByName("postgres"));
    }
  }

  /** Makes an empty cluster, in UTF8 and with locale C. */
  public void create(String password) throws IOException, InterruptedException {
    makeFolder();
    Path file = Files.writeString(folder.resolve("password"), password + "\n");
    as(
        "initdb",
        List.of(
            "--no-sync",
            "--no-instructions",
            "-D",
            data().toString(),
            "-A",
            "scram-sha-256",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "--pwfile=" + file));
    Files.delete(file);
  }

  /** Makes it a copy of one that is stopped. */
  public void copy(LocalPostgres from) throws IOException, InterruptedException {
    LocalProgram.succeed(
        from.folder.getParent(),
        Map.of(),
        List.of("cp", "-a", from.folder.toString(), folder.toString()));
  }

  /** Makes it a copy of one that runs, and lets its superuser in without a password. */
  public void copyRunning(LocalPostgres from) throws IOException, InterruptedException {
    makeFolder();
    as(
        "pg_basebackup",
        List.of(
            "--pgdata=" + data(),
            "--host=" + from.address.host(),
            "--port=" + from.address.port(),
            "--username=postgres",
            "--checkpoint=fast",
            "--no-sync"));
  }

  /** What PostgreSQL is told so that it runs beside others, on a machine that may be lost. */
  private List<String> ownSettings() {
    return List.of(
        "listen_addresses='" + address.host() + "'",
        "port=" + address.port(),
        "unix_socket_directories=''",
        "shared_buffers=32MB",
        // A killed server would leave its segments of POSIX shared memory behind.
        "dynamic_shared_memory_type=mmap");
  }

  /**
   * Starts it, and waits until it serves.
   *
   * @param settings for its configuration, each NAME=VALUE
   * @throws IOException with its log when it does not
   */
  public void start(List<String> settings) throws IOException, InterruptedException {
    Files.write(data().resolve("postgresql.conf"), and(ownSettings(), settings));
    Files.write(data().resolve("pg_hba.conf"), access);
    try {
      as(
          "pg_ctl",
          List.of(
              "-D", data().toString(), "-w", "-t", "100", "-s", "-l", log().toString(), "start"));
    } catch (IOException e) {
      String said = Files.exists(log()) ? Files.readString(log()) : "";
      throw new IOException("PostgreSQL did not start: " + e.getMessage() + "\n" + said, e);
    }
  }

  /** Ends it in order. */
  public void stop() throws IOException, InterruptedException {
    end("fast");
  }

  private void end(String mode) throws IOException, InterruptedException {
    as("pg_ctl", List.of("-D", data().toString(), "-s", "-w", "-m", mode, "stop"));
  }

  /** Its first process, if that runs. */
  private Optional<ProcessHandle> postmaster() throws IOException {
    Path file = pidFile();
    return Files.exists(file)
        ? ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0)))
        : Optional.empty();
  }

  private ProcessHandle runningPostmaster() throws IOException {
    return postmaster().orElseThrow(() -> new IOException("no server runs in " + data()));
  }

  private Path pidFile() {
    return data().resolve("postmaster.pid");
  }

  /** As if its machine had lost power, but for the kernel's cache. */
  public void kill() throws IOException, InterruptedException {
    String segment = Files.readAllLines(pidFile()).get(SEGMENT_LINE).strip().split(" +", -1)[1];
    List<ProcessHandle> killed = processes();
    signal("KILL");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(KILL_S);
    while (!killed.stream().allMatch(LocalPostgres::hasEnded)) {
      if (System.nanoTime() > deadline) {
        throw new IOException("the server in " + data() + " does not die");
      }
      Thread.sleep(KILLED_MS);
    }
    LocalProgram.run(folder, Map.of(), List.of("ipcrm", "-m", segment));
    Files.delete(pidFile()); // Its process may be there until init has reaped it.
  }

  /** Its process may be there, but as one of which nothing is left but its status (proc(5)). */
  private static boolean hasEnded(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return !process.isAlive();
    }
  }

  /**
   * All its processes, the first of them first.
   *
   * @throws IOException when it does not run
   */
  public List<ProcessHandle> processes() throws IOException {
    ProcessHandle first = runningPostmaster();
    return Stream.concat(Stream.of(first), first.children()).toList();
  }

  /** Sends all its processes a signal. */
  public void signal(String name) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    processes().forEach(one -> command.add(Long.toString(one.pid())));
    LocalProgram.run(folder, Map.of(), command);
  }

  /** Ends it at once, if it runs. */
  @Override
  public void close() {
    try {
      if (postmaster().isPresent()) {
        end("immediate");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

package io.mgtm.query.recovery;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Keys;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * PostgreSQL's own programs, as the replicator's role: what pg_dump writes is executed by psql. Any
 * thread; calls wait. Closed, it ends those that run, and starts none.
 */
final class Programs implements AutoCloseable {
  private static final int ERROR_MAX = 2_000;

  /** Before the first part that is of another type, a dump is about the database itself. */
  private static final Pattern PART =
      Pattern.compile("-- (Data for )?Name: .*; Type: (.*); Schema: .*");

  private static final Set<String> OF_THE_DATABASE =
      Set.of("DATABASE", "DATABASE PROPERTIES", "COMMENT", "SECURITY LABEL");

  private static final String CONNECT = "\\connect ";

  /** What pg_dump of this version and newer writes, and servers of older ones do not know. */
  private static final int TIMEOUT_MAJOR = 17;

  private static final String TIMEOUT = "SET transaction_timeout = 0;\n";

  /** What pg_dump says of a server that is newer than it is. */
  private static final String MISMATCH = "server version mismatch";

  private static final String NEWER =
      "; let PATH of the replicator name programs that are not older than the server";

  private final QueryConfig config;
  private final String application;
  private final Set<Process> running = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * None that runs.
   *
   * @param application the application_name of their connections
   */
  Programs(QueryConfig config, String application) {
    this.config = config;
    this.application = application;
  }

  /** The roles, tablespaces and privileges of a server, as SQL. */
  String globals(HostPort from) throws IOException {
    String database = config.role().database();
    try (Program dump = start(from, database, "pg_dumpall", "--globals-only", "-l", database)) {
      dump.process.getOutputStream().close();
      byte[] sql = dump.process.getInputStream().readAllBytes();
      dump.succeeded();
      return new String(sql, StandardCharsets.UTF_8);
    }
  }

  /** Executes SQL in a database; ends with the first error. */
  void execute(HostPort at, String database, String sql) throws IOException {
    try (Program psql = psql(at, database)) {
      psql.write(out -> out.write(sql.getBytes(StandardCharsets.UTF_8)));
      psql.succeeded();
    }
  }

  /**
   * Copies a database, in one transaction.
   *
   * @param toMajor the major version of {@code to}, which a newer pg_dump does not ask for
   * @param make whether it is not there yet
   */
  void copy(HostPort from, HostPort to, int toMajor, String database, boolean make)
      throws IOException {
    try (Program dump = start(from, database, "pg_dump", "--create", "-B")) {
      dump.process.getOutputStream().close();
      InputStream in = new BufferedInputStream(dump.process.getInputStream(), 1 << 16);
      String unknown = toMajor < TIMEOUT_MAJOR ? TIMEOUT : "";
      String head = untilConnect(in).replace(unknown, "");
      if (make && !head.isEmpty()) {
        execute(to, config.role().database(), head);
      }
      try (Program psql = psql(to, database)) {
        psql.write(
            out -> {
              out.write("BEGIN;\n".getBytes(StandardCharsets.UTF_8));
              rest(in, out, unknown);
              dump.succeeded();
              // Where no transaction is open any more, this fails.
              out.write("\nSAVEPOINT whole; COMMIT;\n".getBytes(StandardCharsets.UTF_8));
            });
        psql.succeeded();
      }
    }
  }

  /** What makes the database; the connection to it follows. */
  private static String untilConnect(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    for (String line = line(in); line != null; line = line(in)) {
      if (line.startsWith(CONNECT)) {
        break;
      }
      head.append(line);
    }
    return head.toString();
  }

  /** All that follows, in the connection that there is. */
  private static void rest(InputStream in, OutputStream out, String but) throws IOException {
    boolean itself = true;
    for (String line = line(in); line != null; line = line(in)) {
      var part = PART.matcher(line.strip());
      itself &= !part.matches() || OF_THE_DATABASE.contains(part.group(2));
      if (!line.startsWith(CONNECT) && !line.equals(but)) {
        out.write(line.getBytes(StandardCharsets.UTF_8));
      }
      if (!itself) {
        in.transferTo(out);
        return;
      }
    }
  }

  /** With its end; null after the last. */
  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next >= 0; next = in.read()) {
      line.write(next);
      if (next == '\n') {
        break;
      }
    }
    return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
  }

  private Program psql(HostPort at, String database) throws IOException {
    return start(at, database, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-");
  }

  private Program start(HostPort at, String database, String... command) throws IOException {
    if (closed) {
      throw new IOException("the replicator ends, or another leads");
    }
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("PG"));
    environment.put("PGHOST", at.host());
    environment.put("PGPORT", Integer.toString(at.port()));
    environment.put("PGDATABASE", database);
    environment.put("PGUSER", config.role().user());
    environment.put("PGAPPNAME", application);
    environment.put("PGCLIENTENCODING", "UTF8");
    environment.put("PGCONNECT_TIMEOUT", "60");
    String password = Keys.password(config.role().passwordFile());
    environment.put("PGPASSWORD", password == null ? "" : password);
    environment.put("PGSSLMODE", config.serverTls().trust() == null ? "disable" : "verify-full");
    if (config.serverTls().trust() != null) {
      environment.put("PGSSLROOTCERT", config.serverTls().trust().toString());
    }
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new IOException(
          "cannot run %s on the replicator's machine: install the newest server's programs for clients"
              .formatted(command[0]),
          e);
    }
    running.add(process);
    if (closed) {
      process.destroyForcibly();
    }
    return new Program(command[0], at, process);
  }

  @Override
  public void close() {
    closed = true;
    running.forEach(Process::destroyForcibly);
  }

  /** Writes what a program reads. */
  private interface Writer {
    void to(OutputStream out) throws IOException;
  }

  /** One that runs; closed, it has ended. */
  private final class Program implements AutoCloseable {
    private final String name;
    private final HostPort at;
    private final Process process;
    private final CompletableFuture<String> said;

    Program(String name, HostPort at, Process process) {
      this.name = name;
      this.at = at;
      this.process = process;
      said = CompletableFuture.supplyAsync(() -> drained(process.getErrorStream()), Programs::run);
      if (name.equals("psql")) {
        CompletableFuture.supplyAsync(() -> drained(process.getInputStream()), Programs::run);
      }
    }

    /** Writes all, unless it ends before; it is asked for its reason then. */
    void write(Writer writer) throws IOException {
      try (OutputStream out = new BufferedOutputStream(process.getOutputStream(), 1 << 16)) {
        writer.to(out);
      } catch (ProgramException e) {
        process.destroyForcibly();
        throw e;
      } catch (IOException e) {
        succeeded();
        throw e;
      }
    }

    /** Waits for its end. */
    void succeeded() throws IOException {
      try {
        int status = process.waitFor();
        if (status != 0) {
          String why = said.join().strip();
          throw new ProgramException(
              "%s at %s ended with %d: %s%s"
                  .formatted(name, at, status, why, why.contains(MISMATCH) ? NEWER : ""));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ProgramException("interrupted");
      }
    }

    @Override
    public void close() {
      process.destroyForcibly();
      running.remove(process);
    }
  }

  /** A program has failed. */
  private static final class ProgramException extends IOException {
    private static final long serialVersionUID = 1;

    ProgramException(String message) {
      super(message);
    }
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "mgtm-query-program");
    thread.setDaemon(true);
    thread.start();
  }

  /** What it printed first; all is read. */
  private static String drained(InputStream in) {
    try (in) {
      byte[] first = in.readNBytes(ERROR_MAX);
      in.transferTo(OutputStream.nullOutputStream());
      return new String(first, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.query.local.LocalPostgres;
import io.mgtm.query.local.LocalProgram;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of a test class's own, which asks for passwords by SCRAM, but trusts the user
 * trusted. The users: postgres, alice who owns the database app, and mgtm who may only log in and
 * read pg_authid in the database postgres.
 */
final class Postgres {
  static final String PASSWORD = "pässword, 'quoted'";

  private static final List<String> ACCESS =
      List.of(
          "host all trusted 127.0.0.0/8 trust",
          "host all all 127.0.0.0/8 scram-sha-256",
          "host all all 198.18.0.0/15 scram-sha-256", // of QueryNetwork
          "host replication postgres 127.0.0.0/8 scram-sha-256");

  private static Postgres pattern;

  final HostPort address;
  private final LocalPostgres server;
  private final Path folder;
  private final Path programs;

  /**
   * Starts one.
   *
   * @param folder empty; other users must be able to enter it
   * @param settings for its configuration, each NAME=VALUE
   */
  Postgres(Path folder, List<String> settings) throws Exception {
    this(folder, Tools.SERVERS, settings);
  }

  /** The same, of the version whose programs these are. */
  Postgres(Path folder, Path programs, List<String> settings) throws Exception {
    this(folder, programs, settings, OwnAddress.HOST);
  }

  /** The same at an address of this machine. */
  Postgres(Path folder, Path programs, List<String> settings, String host) throws Exception {
    this(folder, programs, host);
    letEnter(folder.getParent());
    if (programs.equals(Tools.SERVERS)) {
      server.copy(pattern().server);
      start(settings);
    } else {
      server.create(PASSWORD);
      start(settings);
      fill();
    }
  }

  /** What all servers begin with, made once in a process: where it fails, the next one tries. */
  private static synchronized Postgres pattern() throws Exception {
    if (pattern == null) {
      Path folder = Files.createTempDirectory("mgtm-postgres");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      letEnter(folder);
      Postgres made = new Postgres(folder.resolve("pg"), Tools.SERVERS);
      try {
        made.server.create(PASSWORD);
        made.start(List.of());
        made.fill();
        made.shutDown();
      } finally {
        made.stop();
      }
      Files.delete(made.server.log());
      pattern = made;
    }
    return pattern;
  }

  private static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(one);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void letEnter(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void fill() throws SQLException {
    sql("postgres", "CREATE ROLE alice LOGIN PASSWORD " + literal(PASSWORD));
    sql("postgres", "CREATE ROLE trusted LOGIN SUPERUSER");
    sql("postgres", "CREATE ROLE mgtm LOGIN PASSWORD " + literal(PASSWORD));
    sql("postgres", "GRANT SELECT ON pg_catalog.pg_authid TO mgtm");
    sql("postgres", "GRANT pg_read_all_data, pg_write_all_data, pg_monitor TO mgtm");
    sql("postgres", "GRANT pg_signal_backend, alice TO mgtm");
    sql("postgres", "GRANT CREATE ON DATABASE postgres TO mgtm");
    sql("postgres", "GRANT SET ON PARAMETER session_replication_role TO mgtm");
    sql("postgres", "CREATE DATABASE app OWNER alice");
    sql("app", "GRANT CREATE ON DATABASE app TO mgtm");
  }

  /** Starts a copy of one that was stopped. */
  Postgres(Path folder, Postgres from) throws Exception {
    this(folder, from, OwnAddress.HOST);
  }

  /** The same at an address of this machine. */
  Postgres(Path folder, Postgres from, String host) throws Exception {
    this(folder, from.programs, host);
    server.copy(from.server);
    start(List.of());
  }

  private Postgres(Path folder, Path programs) {
    this(folder, programs, OwnAddress.HOST);
  }

  private Postgres(Path folder, Path programs, String host) {
    this.address = new HostPort(host, OwnAddress.port());
    this.folder = folder;
    this.programs = programs;
    server = new LocalPostgres(programs, folder, address, ACCESS);
  }

  /** Starts one that has nothing but the replicator's role, which is a superuser. */
  static Postgres blank(Path folder) throws Exception {
    return blank(folder, Tools.SERVERS);
  }

  /** The same, of the version whose programs these are. */
  static Postgres blank(Path folder, Path programs) throws Exception {
    Postgres blank = new Postgres(folder, programs);
    blank.server.create(PASSWORD);
    blank.start(List.of());
    blank.sql("postgres", "CREATE ROLE mgtm LOGIN SUPERUSER PASSWORD " + literal(PASSWORD));
    return blank;
  }

  /** Starts a copy of one that runs. */
  static Postgres backup(Path folder, Postgres from) throws Exception {
    Files.createDirectories(folder);
    own(folder);
    List<String> command =
        List.of(
            Tools.PROGRAMS + "/pg_basebackup",
            "--pgdata=" + folder.resolve("data"),
            "--host=" + from.address.host(),
            "--port=" + from.address.port(),
            "--username=postgres",
            "--checkpoint=fast",
            "--no-sync");
    Tools.run(folder.getParent(), Map.of("PGPASSWORD", PASSWORD), LocalProgram.asPostgres(command))
        .succeeded();
    Postgres copy = new Postgres(folder, from.programs);
    copy.start(List.of());
    return copy;
  }

  /** Starts a copy of one that runs, without pg_basebackup, which not every version has here. */
  static Postgres snapshot(Path folder, Postgres from) throws Exception {
    Postgres copy = new Postgres(folder, from.programs);
    try (Connection backup = from.direct("postgres");
        Statement statement = backup.createStatement()) {
      statement.execute("SELECT pg_backup_start('copy', true)");
      copy(from.folder, folder);
      try (ResultSet stopped =
          statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        stopped.next();
        Files.delete(folder.resolve("data").resolve("postmaster.pid"));
        // Whose log goes on to where the backup ends.
        copy(from.folder.resolve("data").resolve("pg_wal"), folder.resolve("data"));
        Path label = folder.resolve("data").resolve("backup_label");
        own(Files.writeString(label, stopped.getString(1)));
      }
    }
    copy.start(List.of());
    return copy;
  }

  /** Makes it the user's as whom PostgreSQL runs. */
  private static void own(Path file) throws IOException {
    if (LocalProgram.isRoot()) {
      Files.setOwner(
          file,
          file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postgres"));
    }
  }

  /** What vanishes meanwhile is not there. */
  private static void copy(Path from, Path to) throws Exception {
    LocalProgram.run(from.getParent(), Map.of(), List.of("cp", "-a", from + "", to + ""));
  }

  private void start(List<String> settings) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "max_connections=60",
                "max_prepared_transactions=60",
                "fsync=off",
                "autovacuum=off"));
    all.addAll(settings);
    server.start(all);
  }

  String log() throws IOException {
    return Files.readString(server.log(), StandardCharsets.UTF_8);
  }

  static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  /** A connection of the superuser that goes to the server itself. */
  Connection direct(String database) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://" + address + "/" + database, "postgres", PASSWORD);
  }

  void sql(String database, String statement) throws SQLException {
    try (Connection connection = direct(database)) {
      connection.createStatement().execute(statement);
    }
  }

  /** The one number that it answers itself. */
  long number(String sql) throws SQLException {
    try (Connection direct = direct("app");
        ResultSet rows = direct.createStatement().executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** By which a role's password is checked. */
  String verifier(String role) throws SQLException {
    try (Connection direct = direct("postgres");
        ResultSet rows =
            direct
                .createStatement()
                .executeQuery(
                    "SELECT rolpassword FROM pg_authid WHERE rolname = " + literal(role))) {
      rows.next();
      return rows.getString(1);
    }
  }

  /** Ends it at once. */
  void stop() {
    server.close();
  }

  /** Ends it in order. */
  void shutDown() throws Exception {
    server.stop();
  }

  /** As if its machine had lost power, but for the kernel's cache. */
  void kill() throws Exception {
    server.kill();
  }

  /** All its processes are stopped, or go on. */
  void signal(String name) throws Exception {
    server.signal(name);
  }

  /** Starts it again after {@link #kill}. */
  void startAgain(String... settings) throws Exception {
    start(List.of(settings));
  }
}

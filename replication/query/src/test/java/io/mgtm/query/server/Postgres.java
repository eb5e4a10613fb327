package io.mgtm.query.server;

import io.mgtm.query.config.HostPort;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A PostgreSQL server of a test class's own, which asks for passwords by SCRAM, but trusts the user
 * trusted. The users: postgres, alice who owns the database app, and mgtm who may only log in and
 * read pg_authid in the database postgres.
 */
final class Postgres {
  static final String PASSWORD = "pässword, 'quoted'";

  private final Path folder;
  final HostPort address = new HostPort(OwnAddress.HOST, OwnAddress.port());

  /**
   * Starts one.
   *
   * @param folder empty; other users must be able to enter it
   * @param settings for its configuration, each NAME=VALUE
   */
  Postgres(Path folder, List<String> settings) throws Exception {
    this.folder = folder;
    Files.createDirectories(folder);
    Tools.run(folder, Map.of(), List.of("chmod", "755", folder.getParent().toString())).succeeded();
    if (Tools.isRoot()) {
      Tools.run(folder, Map.of(), List.of("chown", "postgres", folder.toString())).succeeded();
    }
    Path password = Files.writeString(folder.resolve("password"), PASSWORD + "\n");
    Tools.asPostgres(
            folder,
            Tools.PROGRAMS + "/initdb",
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
            "--pwfile=" + password)
        .succeeded();
    Files.writeString(
        data().resolve("pg_hba.conf"),
        "host all trusted 127.0.0.0/8 trust\nhost all all 127.0.0.0/8 scram-sha-256\n");
    start(settings);
    sql("postgres", "CREATE ROLE alice LOGIN PASSWORD " + literal(PASSWORD));
    sql("postgres", "CREATE ROLE trusted LOGIN SUPERUSER");
    sql("postgres", "CREATE ROLE mgtm LOGIN PASSWORD " + literal(PASSWORD));
    sql("postgres", "GRANT SELECT ON pg_catalog.pg_authid TO mgtm");
    sql("postgres", "GRANT pg_read_all_data, pg_write_all_data, pg_monitor TO mgtm");
    sql("postgres", "GRANT SET ON PARAMETER session_replication_role TO mgtm");
    sql("postgres", "CREATE DATABASE app OWNER alice");
  }

  /** Starts a copy of one that was stopped. */
  Postgres(Path folder, Postgres from) throws Exception {
    this.folder = folder;
    Tools.run(
            from.folder.getParent(),
            Map.of(),
            List.of("cp", "-a", from.folder.toString(), folder.toString()))
        .succeeded();
    start(List.of());
  }

  private Path data() {
    return folder.resolve("data");
  }

  private void start(List<String> settings) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "listen_addresses='" + address.host() + "'",
                "port=" + address.port(),
                "unix_socket_directories=''",
                "shared_buffers=32MB",
                "max_connections=60",
                "fsync=off",
                // A killed server would leave its segments of POSIX shared memory behind.
                "dynamic_shared_memory_type=mmap",
                "autovacuum=off"));
    all.addAll(settings);
    Files.writeString(data().resolve("postgresql.conf"), String.join("\n", all) + "\n");
    Path log = folder.resolve("log");
    try {
      Tools.asPostgres(
              folder,
              Tools.PROGRAMS + "/pg_ctl",
              "-D",
              data().toString(),
              "-w",
              "-t",
              "100",
              "-s",
              "-l",
              log.toString(),
              "start")
          .succeeded();
    } catch (AssertionError e) {
      throw new AssertionError("PostgreSQL did not start:\n" + log(), e);
    }
  }

  String log() throws IOException {
    return Files.readString(folder.resolve("log"), StandardCharsets.UTF_8);
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

  void stop() throws IOException, InterruptedException {
    Tools.asPostgres(
        folder,
        Tools.PROGRAMS + "/pg_ctl",
        "-D",
        data().toString(),
        "-s",
        "-w",
        "-m",
        "immediate",
        "stop");
  }

  /** Ends it in order. */
  void shutDown() throws Exception {
    Tools.asPostgres(
            folder,
            Tools.PROGRAMS + "/pg_ctl",
            "-D",
            data().toString(),
            "-s",
            "-w",
            "-m",
            "fast",
            "stop")
        .succeeded();
  }

  /** As if its machine had lost power, but for the kernel's cache. */
  void kill() throws Exception {
    signal("KILL");
  }

  /** All its processes are stopped, or go on. */
  void signal(String name) throws Exception {
    long pid = Long.parseLong(Files.readAllLines(data().resolve("postmaster.pid")).get(0));
    ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
    List<ProcessHandle> all = new ArrayList<>(postmaster.children().toList());
    all.add(0, postmaster);
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    all.forEach(one -> command.add(Long.toString(one.pid())));
    Tools.run(folder, Map.of(), command);
  }

  /** Starts it again after {@link #kill}. */
  void startAgain() throws Exception {
    start(List.of());
  }
}

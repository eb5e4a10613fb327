package io.mgtm.query.suite;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.local.LocalPostgres;
import io.mgtm.query.local.LocalProgram;
import io.mgtm.query.member.QueryServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A bare PostgreSQL server, and two behind a replicator, all copies of one that has what the tests
 * begin with in the database {@link #BASE}. One thread.
 */
final class SuiteServers implements AutoCloseable {
  static final String BASE = "regress_base";
  static final String EMPTY = "template0";
  private static final List<String> ACCESS =
      List.of("host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust");
  private static final Pattern ADDRESS = Pattern.compile("\\d+\\.\\d+\\.\\d+\\.\\d+:\\d+");
  private static final List<String> SETTINGS =
      List.of(
          "fsync=off",
          "autovacuum=off",
          "max_prepared_transactions=2",
          "timezone=America/Los_Angeles",
          "lc_messages=C");

  private final Path programs;
  private final Path folder;
  private final LocalPostgres pattern;
  private LocalPostgres bare;
  private final List<LocalPostgres> servers = new ArrayList<>();
  private QueryServer replicator;
  private int generation;
  private int databases;

  SuiteServers(Path programs, Path folder) {
    this.programs = programs;
    this.folder = folder;
    this.pattern = server("pattern");
  }

  private LocalPostgres server(String name) {
    return new LocalPostgres(programs, folder.resolve(name), LocalPostgres.free(), ACCESS);
  }

  /** What is done to the pattern before it is copied. */
  interface Preparation {
    void prepare(HostPort server) throws IOException, InterruptedException, SQLException;
  }

  void prepare(Preparation preparation) throws IOException, InterruptedException, SQLException {
    pattern.create("unused");
    pattern.start(SETTINGS);
    sql(pattern, "CREATE ROLE mgtm LOGIN SUPERUSER");
    sql(pattern, "CREATE DATABASE " + BASE + " TEMPLATE template0");
    preparation.prepare(pattern.address());
    pattern.stop();
  }

  /** The functions of PostgreSQL's own of which no variant is volatile. */
  Set<String> steadyFunctions() throws SQLException {
    Set<String> names = new TreeSet<>();
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://" + bare.address() + "/postgres?user=postgres");
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace"
                    + " GROUP BY 1 HAVING bool_and(provolatile <> 'v')")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  private static void sql(LocalPostgres server, String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                "jdbc:postgresql://" + server.address() + "/postgres?user=postgres");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Makes all anew, with no database but the base. */
  void startAnew() throws Exception {
    close();
    forget();
    generation++;
    databases = 0;
    bare = copy("bare");
    servers.add(copy("first"));
    servers.add(copy("second"));
    replicator = QueryServer.start(config());
    if (!areAllIn()) {
      throw new IOException("not all servers are in; see " + folder);
    }
  }

  private LocalPostgres copy(String name) throws IOException, InterruptedException {
    LocalPostgres copy = server(name + generation);
    copy.copy(pattern);
    copy.start(SETTINGS);
    return copy;
  }

  private QueryConfig config() throws Exception {
    QueryConfig d = QueryConfig.DEFAULTS;
    return new QueryConfig(
            new HostPort("127.0.0.1", 0),
            servers.stream().map(LocalPostgres::address).toList(),
            1,
            d.reads(),
            Files.createDirectories(folder.resolve("state" + generation)),
            new HostPort("127.0.0.1", 0),
            List.of("host all all all trust"),
            d.group(),
            d.role(),
            d.tls(),
            d.serverTls(),
            2,
            0,
            d.limits(),
            d.timeouts())
        .validated();
  }

  /** A database of that name at each server, as the base is or an empty one. */
  void createDatabase(String name, String template) throws SQLException {
    databases++;
    String create = "CREATE DATABASE " + name + " TEMPLATE " + template + " STRATEGY file_copy";
    sql(bare, create);
    for (LocalPostgres server : servers) {
      sql(server, create);
    }
  }

  HostPort bare() {
    return bare.address();
  }

  HostPort leader() {
    return servers.get(0).address();
  }

  HostPort replicator() {
    return HostPort.of(replicator.address());
  }

  /** Where the replicator is asked by commands. */
  HostPort admin() {
    return replicator.admin();
  }

  boolean areAllIn() {
    return replicator.serversIn().size() == servers.size();
  }

  /** Why servers are out, with nothing that is of this run alone. */
  String whyOut() {
    return IntStream.range(0, servers.size())
        .mapToObj(replicator::whyOut)
        .filter(Objects::nonNull)
        .map(why -> ADDRESS.matcher(why).replaceAll("a server"))
        .collect(Collectors.joining("; "));
  }

  /** How many databases were made since {@link #startAnew}. */
  int databases() {
    return databases;
  }

  /** What differs between the servers, in lines. */
  List<String> differences() throws IOException {
    return replicator.verify();
  }

  /** Ends all; what they have kept goes with the folder. */
  @Override
  public void close() {
    if (replicator != null) {
      replicator.close();
      replicator = null;
    }
    servers.forEach(LocalPostgres::close);
    servers.clear();
    if (bare != null) {
      bare.close();
      bare = null;
    }
    pattern.close();
  }

  private void forget() throws IOException, InterruptedException {
    for (String name : List.of("bare", "first", "second", "state")) {
      List<String> command = List.of("rm", "-rf", folder.resolve(name + generation) + "");
      LocalProgram.succeed(folder, Map.of(), command);
    }
  }
}

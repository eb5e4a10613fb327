package io.mgtm.query.config;

import io.mgtm.common.ConfigException;
import io.mgtm.common.ConfigFile;
import io.mgtm.common.HostPort;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Everything that can be set for a query replicator. The keys of the file are the component names;
 * docs/query.md tells of each.
 *
 * @param listen where clients connect
 * @param servers the PostgreSQL servers
 * @param access who may come in, as {@link AccessRule}s
 * @param role how the replicator itself enters a server, to read verifiers
 * @param serversMin fewer servers than these take no writes
 * @param data the folder in which it is kept which servers are out; null before one server
 * @param admin where commands and metrics are answered; null for nowhere
 * @param tls to clients
 * @param serverTls to servers
 * @param threads that serve clients
 * @param drainMs how long clients may finish what runs when the replicator is told to stop
 */
public record QueryConfig(
    HostPort listen,
    List<HostPort> servers,
    int serversMin,
    Path data,
    HostPort admin,
    List<String> access,
    Role role,
    Tls tls,
    ServerTls serverTls,
    int threads,
    int drainMs,
    Limits limits,
    Timeouts timeouts) {

  /**
   * The replicator's own role.
   *
   * @param passwordFile its first line is the role's password, or null where servers trust it
   */
  public record Role(String user, String database, Path passwordFile) {}

  /**
   * TLS to clients.
   *
   * @param certificate PEM file with the replicator's certificate chain, or null for no TLS
   * @param key PEM file with its private key
   */
  public record Tls(Path certificate, Path key) {}

  /**
   * TLS to servers.
   *
   * @param trust PEM file with the authorities of the servers' certificates; null for no TLS
   */
  public record ServerTls(Path trust) {}

  /**
   * What is admitted.
   *
   * @param messageBytesMax the longest message that is held, such as a statement or its parameters;
   *     rows and COPY data are not held
   * @param outboundBytesMax what waits for one end before nothing more is read from the other
   * @param spoolBytesMax what COPY data of all clients may take on disk until all servers have them
   */
  public record Limits(
      int connectionsMax, int messageBytesMax, int outboundBytesMax, long spoolBytesMax) {}

  /**
   * How long is waited.
   *
   * @param startupMs for a client to be let in
   * @param connectMs for a server to take a connection
   * @param silentMs for a server to say that it is there
   * @param applyMs for a server to do what the leader has done
   */
  public record Timeouts(int startupMs, int connectMs, int silentMs, int applyMs) {}

  /** What holds when nothing is set. */
  public static final QueryConfig DEFAULTS =
      new QueryConfig(
          new HostPort("127.0.0.1", 6432),
          List.of(),
          1,
          null,
          null,
          List.of("host all all all scram-sha-256"),
          new Role("mgtm", "postgres", null),
          new Tls(null, null),
          new ServerTls(null),
          2,
          10_000,
          new Limits(1_000, 64 * 1024 * 1024, 256 * 1024, 16L << 30),
          new Timeouts(60_000, 5_000, 5_000, 30_000));

  private static final int SERVERS_MAX = 16;

  public QueryConfig {
    servers = List.copyOf(servers);
    access = List.copyOf(access);
  }

  /**
   * The defaults with what {@code file} sets, not yet validated.
   *
   * @throws ConfigException when the file cannot be read, or a key or value in it is wrong
   */
  public static QueryConfig read(Path file) throws ConfigException {
    return new ConfigFile("docs/query.md").read(file, DEFAULTS, QueryConfig.class);
  }

  /**
   * Checks every value.
   *
   * @throws ConfigException with the key, the value and what is allowed
   */
  public QueryConfig validated() throws ConfigException {
    if (servers.isEmpty()
        || servers.size() > SERVERS_MAX
        || Set.copyOf(servers).size() < servers.size()) {
      throw new ConfigException(
          "servers: expected 1 to "
              + SERVERS_MAX
              + " addresses HOST:PORT, each once; set them with --server");
    }
    if (servers.size() > 1 && data == null) {
      throw new ConfigException(
          "data: expected a folder, where it is kept which servers are out; set it with --data");
    }
    range("serversMin", serversMin, 1, servers.size());
    rules();
    if (role.user().isEmpty() || role.database().isEmpty()) {
      throw new ConfigException("role.user and role.database: expected names");
    }
    if ((tls.certificate() == null) != (tls.key() == null)) {
      throw new ConfigException("tls.certificate: it needs tls.key, and the other way round");
    }
    range("threads", threads, 1, 256);
    range("drainMs", drainMs, 0, 3_600_000);
    range("limits.connectionsMax", limits.connectionsMax(), 1, 30_000);
    range("limits.messageBytesMax", limits.messageBytesMax(), 64 * 1024, 0x3fffffff);
    range("limits.outboundBytesMax", limits.outboundBytesMax(), 64 * 1024, 1 << 30);
    range("limits.spoolBytesMax", limits.spoolBytesMax(), 1 << 20, 1L << 50);
    range("timeouts.startupMs", timeouts.startupMs(), 100, 3_600_000);
    range("timeouts.connectMs", timeouts.connectMs(), 100, 3_600_000);
    range("timeouts.silentMs", timeouts.silentMs(), 100, 3_600_000);
    range("timeouts.applyMs", timeouts.applyMs(), 100, 3_600_000);
    return this;
  }

  /**
   * Who may come in.
   *
   * @throws ConfigException when a rule is none
   */
  public List<AccessRule> rules() throws ConfigException {
    try {
      return access.stream().map(AccessRule::new).toList();
    } catch (IllegalArgumentException e) {
      throw new ConfigException("access: " + e.getMessage(), e);
    }
  }

  private static void range(String key, long value, long min, long max) throws ConfigException {
    if (value < min || value > max) {
      throw new ConfigException(
          key + ": " + value + " is not allowed, expected " + min + " to " + max);
    }
  }
}

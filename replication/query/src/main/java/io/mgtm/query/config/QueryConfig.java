package io.mgtm.query.config;

import io.mgtm.common.ConfigException;
import io.mgtm.common.ConfigFile;
import io.mgtm.common.ConfigKeys;
import io.mgtm.common.HostPort;
import io.mgtm.common.Key;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Everything that can be set for a query replicator. The keys of the file are the component names.
 */
public record QueryConfig(
    @Key("where clients connect (`--listen`)") HostPort listen,
    @Key("the PostgreSQL servers of the first start, 1 to 16 (`--server`)") List<HostPort> servers,
    @Key(
            value = "with fewer of them in, nothing is written; at most their number",
            min = 1,
            max = SERVERS_MAX)
        int serversMin,
    @Key(
            "what reads see at servers that do not lead: `committed`, all that was acknowledged;"
                + " `snapshot`, what the leader shows at that moment, see"
                + " docs/query.md#reads-of-snapshots. The same on every member")
        Reads reads,
    @Key(
            "where the log of commits is kept, and COPY data until all servers have them; needed"
                + " before two servers and more, or to add a second to one (`--data`)")
        Path data,
    @Key("where commands and metrics are answered, without a password (`--admin`)") HostPort admin,
    @Key(value = "who may come in; see docs/query.md#who-may-come-in", as = "rule")
        List<String> access,
    GroupConfig group,
    Role role,
    Tls tls,
    ServerTls serverTls,
    @Key(value = "event loops that serve clients", min = 1, max = 256) int threads,
    @Key(value = "how long clients may finish after SIGTERM", min = 0, max = 3_600_000) int drainMs,
    Limits limits,
    Timeouts timeouts) {

  /** What reads see at servers that do not lead. */
  public enum Reads {
    COMMITTED,
    SNAPSHOT
  }

  /** The replicator's own role. */
  public record Role(
      @Key("the role by which the replicator itself enters a server") String user,
      @Key("the database in which it does") String database,
      @Key("its first line is that role's password; without it the server must trust the role")
          Path passwordFile) {}

  /** TLS to clients. */
  public record Tls(
      @Key("PEM: the replicator's certificate chain; without it clients are not encrypted")
          Path certificate,
      @Key("PEM: its private key") Path key) {}

  /** TLS to servers. */
  public record ServerTls(
      @Key(
              "PEM: authorities of the server's certificate, which must bear the name or address in"
                  + " `servers`; without it the server's connections are not encrypted")
          Path trust) {}

  /** What is admitted. */
  public record Limits(
      @Key(value = "clients", min = 1, max = 30_000) int connectionsMax,
      @Key(
              value =
                  "transactions that may write and run at the leader server at once; others wait"
                      + " for their turn, see docs/query.md#under-load; 0 for any number",
              min = 0,
              max = 30_000)
          int transactionsMax,
      @Key(
              value =
                  "the longest message that is held, such as a statement or its parameters; rows"
                      + " and COPY data are not held",
              min = 64 * 1024,
              max = 0x3fffffff)
          int messageBytesMax,
      @Key(
              value = "what waits for one end before nothing more is read from the other",
              min = 64 * 1024,
              max = 1 << 30)
          int outboundBytesMax,
      @Key(
              value = "what COPY data of all clients take on the disk of `data`",
              min = 1 << 20,
              max = 1L << 50)
          long spoolBytesMax,
      @Key(
              value =
                  "how much of the log of commits is kept on the disk of `data`, at least half of"
                      + " it for servers that are away",
              min = 64 << 20,
              max = 1L << 40)
          long logBytesMax) {}

  /** How long is waited. */
  public record Timeouts(
      @Key(value = "for a client to be let in", min = 100, max = 3_600_000) int startupMs,
      @Key(
              value =
                  "for a server to take a connection, and to answer a lookup of a role; for a"
                      + " replicator to come to lead, and to take a client that another forwards",
              min = 100,
              max = 3_600_000)
          int connectMs,
      @Key(
              value = "for a server to say that it is there, before it is put out",
              min = 100,
              max = 3_600_000)
          int silentMs,
      @Key(
              value =
                  "for a server to go on with what the leader has done, beyond the time that the"
                      + " leader took, before it is put out",
              min = 100,
              max = 3_600_000)
          int applyMs) {}

  /** What holds when nothing is set. */
  public static final QueryConfig DEFAULTS =
      new QueryConfig(
          new HostPort("127.0.0.1", 6432),
          List.of(),
          1,
          Reads.COMMITTED,
          null,
          null,
          List.of("host all all all scram-sha-256"),
          GroupConfig.NONE,
          new Role("mgtm", "postgres", null),
          new Tls(null, null),
          new ServerTls(null),
          2,
          10_000,
          new Limits(1_000, 0, 64 * 1024 * 1024, 256 * 1024, 16L << 30, 512 << 20),
          new Timeouts(60_000, 5_000, 5_000, 30_000));

  /** Servers before which a replicator stands, at the most. */
  public static final int SERVERS_MAX = 16;

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
    if ((servers.size() > 1 || group.exists()) && !replicates()) {
      throw new ConfigException(
          "data: expected a folder, for the log of commits; set it with --data");
    }
    group.validate(listen, admin);
    ConfigKeys.requireRange("serversMin", serversMin, 1, servers.size());
    rules();
    if (role.user().isEmpty() || role.database().isEmpty()) {
      throw new ConfigException("role.user and role.database: expected names");
    }
    if ((tls.certificate() == null) != (tls.key() == null)) {
      throw new ConfigException("tls.certificate: it needs tls.key, and the other way round");
    }
    ConfigKeys.checkRanges(this);
    return this;
  }

  /** Whether there is a log of commits; before one server it need not be. */
  public boolean replicates() {
    return data != null;
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

  /** The JSON Schema of the file. */
  public static String schema() {
    return ConfigKeys.schema(
        "mgtm query replicator",
        "The configuration of a query replicator. docs/query.md explains it.",
        DEFAULTS);
  }
}

package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.GroupConfig;
import io.mgtm.query.config.QueryConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Configurations of replicators before {@link Postgres} servers. */
final class TestConfig {
  private TestConfig() {}

  static QueryConfig of(Path folder, HostPort server) throws Exception {
    return with(folder, server, "mgtm", 500, QueryConfig.DEFAULTS.tls(), null);
  }

  static QueryConfig with(
      Path folder, HostPort server, String role, int drainMs, QueryConfig.Tls tls, Path trust)
      throws Exception {
    QueryConfig d = QueryConfig.DEFAULTS;
    Path password = folder.resolve("mgtm.password");
    Files.writeString(password, Postgres.PASSWORD + "\n");
    return new QueryConfig(
            new HostPort("127.0.0.1", 0),
            List.of(server),
            1,
            null,
            null,
            List.of(
                "host all trusted all trust",
                "host all nobody all reject",
                "hostssl all only_tls all scram-sha-256",
                "host all only_tls all reject",
                d.access().get(0)),
            d.group(),
            new QueryConfig.Role(role, "postgres", password),
            tls,
            new QueryConfig.ServerTls(trust),
            2,
            drainMs,
            new QueryConfig.Limits(20, 64 * 1024 * 1024, 256 * 1024, 64 << 20, 64 << 20),
            d.timeouts())
        .validated();
  }

  /** The same as one of several replicators, with a folder of its own. */
  static QueryConfig member(QueryConfig of, String name, String members) throws Exception {
    GroupConfig group = new GroupConfig(name, members, null, "test", null, null, null);
    return new QueryConfig(
            of.listen(),
            of.servers(),
            of.serversMin(),
            of.data().resolveSibling(name),
            of.admin(),
            of.access(),
            group,
            of.role(),
            of.tls(),
            of.serverTls(),
            of.threads(),
            of.drainMs(),
            of.limits(),
            of.timeouts())
        .validated();
  }

  /** Before several servers, with its state in that folder. */
  static QueryConfig several(Path folder, List<HostPort> servers, long spoolBytes, int applyMs)
      throws Exception {
    QueryConfig one = of(folder, servers.get(0));
    return new QueryConfig(
            one.listen(),
            servers,
            1,
            folder.resolve("state"),
            new HostPort("127.0.0.1", 0),
            one.access(),
            one.group(),
            one.role(),
            one.tls(),
            one.serverTls(),
            one.threads(),
            one.drainMs(),
            new QueryConfig.Limits(40, 64 * 1024 * 1024, 256 * 1024, spoolBytes, 64 << 20),
            new QueryConfig.Timeouts(60_000, 5_000, 3_000, applyMs))
        .validated();
  }
}

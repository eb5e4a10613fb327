package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.GroupConfig;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.testing.OwnAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Configurations of replicators before {@link Postgres} servers. */
final class TestConfig {
  /** At the leader of several servers, at once: few, so that some wait in most tests. */
  static final int TRANSACTIONS_MAX = 4;

  /** Others may take the processors for seconds, and a server that is well is not to be out. */
  private static final int SILENT_MS = 6_000;

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
            d.reads(),
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
            new QueryConfig.Limits(20, 0, 64 * 1024 * 1024, 256 * 1024, 64 << 20, 64 << 20),
            d.timeouts())
        .validated();
  }

  /** The same as one of several replicators, with a folder of its own. */
  static QueryConfig member(QueryConfig of, String name, String members) throws Exception {
    GroupConfig group = new GroupConfig(name, members, null, "test", null, null, null);
    return new QueryConfig(
            new HostPort(OwnAddress.HOST, 0),
            of.servers(),
            of.serversMin(),
            of.reads(),
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

  /** The member q1 of a group that does not run, with room for two clients. */
  static QueryConfig follower(int connectMs) {
    QueryConfig d = QueryConfig.DEFAULTS;
    String members = "q1=127.0.0.1:1,q2=127.0.0.1:2,q3=127.0.0.1:3";
    return new QueryConfig(
        d.listen(),
        List.of(new HostPort("127.0.0.1", 1)),
        1,
        d.reads(),
        null,
        null,
        d.access(),
        new GroupConfig("q1", members, null, "test", null, null, null),
        d.role(),
        d.tls(),
        d.serverTls(),
        1,
        0,
        new QueryConfig.Limits(2, 0, 65_536, 65_536, 1 << 20, 64 << 20),
        new QueryConfig.Timeouts(60_000, connectMs, 5_000, 30_000));
  }

  /** Before several servers, with its state in that folder. */
  static QueryConfig several(Path folder, List<HostPort> servers, long spoolBytes, int applyMs)
      throws Exception {
    return several(folder, servers, 1, QueryConfig.Reads.COMMITTED, spoolBytes, applyMs);
  }

  /** The same with a minimum of servers that must be in for writes, and what reads see. */
  static QueryConfig several(
      Path folder,
      List<HostPort> servers,
      int serversMin,
      QueryConfig.Reads reads,
      long spoolBytes,
      int applyMs)
      throws Exception {
    QueryConfig one = of(folder, servers.get(0));
    return new QueryConfig(
            one.listen(),
            servers,
            serversMin,
            reads,
            folder.resolve("state"),
            new HostPort("127.0.0.1", 0),
            one.access(),
            one.group(),
            one.role(),
            one.tls(),
            one.serverTls(),
            one.threads(),
            one.drainMs(),
            new QueryConfig.Limits(
                40, TRANSACTIONS_MAX, 64 * 1024 * 1024, 256 * 1024, spoolBytes, 64 << 20),
            new QueryConfig.Timeouts(60_000, 5_000, SILENT_MS, applyMs))
        .validated();
  }
}

package io.mgtm.query.cli;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.query.config.GroupConfig;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.member.QueryServer;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm query start}: runs a replicator until it is told to stop. */
@Command(
    name = "start",
    description = "Runs a replicator until SIGTERM or Ctrl-C, which let clients finish first.",
    mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "YAML with every other setting.")
  private Path configFile;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where clients connect. Default: 127.0.0.1:6432.")
  private HostPort listen;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description = "Each PostgreSQL server of the first start; see also add-server.")
  private List<HostPort> servers;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Where the log of commits is kept; needed before several, or to add a second to one.")
  private Path data;

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description = "Where commands and metrics are answered. Default: nowhere.")
  private HostPort admin;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "This replicator's name, one of --members.")
  private String name;

  @Option(
      names = "--members",
      paramLabel = "NAME=HOST:PORT,...",
      description =
          "All replicators of a group, and where they reach each other. Default: this one is"
              + " alone.")
  private String members;

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    // Netty looks for leaked buffers by taking stack traces now and then; tests do, servers do not.
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    QueryServer server = QueryServer.start(config());
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "mgtm-stop"));
    PrintWriter out = spec.commandLine().getOut();
    out.println("Replicator listening on " + HostPort.of(server.address()));
    if (server.group() != null) {
      out.println("Member " + server.group());
    }
    out.flush();
    // The hook ends the process.
    new CountDownLatch(1).await();
    return 0;
  }

  private QueryConfig config() throws ConfigException {
    QueryConfig c = configFile == null ? QueryConfig.DEFAULTS : QueryConfig.read(configFile);
    return new QueryConfig(
            listen == null ? c.listen() : listen,
            servers == null ? c.servers() : servers,
            c.serversMin(),
            c.reads(),
            data == null ? c.data() : data,
            admin == null ? c.admin() : admin,
            c.access(),
            group(c.group()),
            c.role(),
            c.tls(),
            c.serverTls(),
            c.threads(),
            c.drainMs(),
            c.limits(),
            c.timeouts())
        .validated();
  }

  private GroupConfig group(GroupConfig g) {
    return new GroupConfig(
        name == null ? g.name() : name,
        members == null ? g.members() : members,
        g.advertise(),
        g.cluster(),
        g.keyStore(),
        g.passwordFile(),
        g.secretFile());
  }
}

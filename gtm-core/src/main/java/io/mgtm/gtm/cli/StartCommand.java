package io.mgtm.gtm.cli;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.migration.ControlFile;
import io.mgtm.gtm.migration.ControlFileException;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.node.backup.Takeover;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm gtm start}: runs a GTM until it is told to stop. */
@Command(
    name = "start",
    description = "Runs a GTM until SIGTERM or Ctrl-C.",
    mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
  private static final long FIRST_NORMAL_GXID = 3;

  @Spec private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "YAML with every other setting.")
  private Path configFile;

  @Option(names = "--data", paramLabel = "DIR", description = "Folder of the log. Default: data.")
  private Path data;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where XC nodes connect. Default: 127.0.0.1:6666.")
  private HostPort listen;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      description = "Where /metrics and /health are served. Default: nowhere.")
  private HostPort metrics;

  @Option(
      names = "--durability",
      paramLabel = "MODE",
      description = "What is forced to disk: ${COMPLETION-CANDIDATES}. Default: critical.")
  private DurabilityMode durability;

  @Option(
      names = "--first-gxid",
      paramLabel = "GXID",
      description = "First gxid of an empty data folder. Default: 10000.")
  private Long firstGxid;

  @Option(
      names = "--import-control",
      paramLabel = "FILE",
      description = "gtm.control of the original GTM, to fill a new data folder with.")
  private Path importControl;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "This member's name, one of --members. Default: gtm.")
  private String name;

  @Option(
      names = "--members",
      paramLabel = "NAME=HOST:PORT,...",
      description = "All members of the group, and where they reach each other. Default: no group.")
  private String members;

  @Option(
      names = "--witness",
      paramLabel = "NAME",
      description =
          "The one of three --members that votes and keeps no data, in mode fifo or lazy."
              + " Default: none.")
  private String witness;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      completionCandidates = Modes.class,
      converter = Modes.class,
      description = "How the group replicates: ${COMPLETION-CANDIDATES}. Default: fifo.")
  private GroupMode mode;

  @Option(
      names = "--advertise",
      paramLabel = "HOST:PORT",
      description =
          "Where proxies reach this node. Default: its host in --members, and --listen's port.")
  private HostPort advertise;

  @Override
  public Integer call()
      throws ConfigException, ControlFileException, IOException, InterruptedException {
    GtmConfig config = config();
    GtmServer server = GtmServer.start(config, takeover());
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "mgtm-stop"));
    PrintWriter out = spec.commandLine().getOut();
    out.println("GTM listening on " + HostPort.of(server.address()));
    if (config.group().exists()) {
      out.println(
          "%s %s of %s"
              .formatted(
                  config.group().isWitness() ? "Witness" : "Member",
                  config.group().name(),
                  String.join(", ", config.group().memberAddresses().keySet())));
    }
    if (server.metricsAddress() != null) {
      out.println("Metrics on http://" + HostPort.of(server.metricsAddress()) + "/metrics");
    }
    out.flush();
    return Cli.awaitFailure(server.failure(), spec.commandLine().getErr());
  }

  /** What to fill a new data folder with, or null. */
  private Takeover takeover() throws ControlFileException {
    if (importControl == null) {
      return null;
    }
    ControlFile file = ControlFile.read(importControl);
    // The original never knows which gxid is the oldest that a table holds.
    return new Takeover(
        Math.max(file.nextGxid(), FIRST_NORMAL_GXID), FIRST_NORMAL_GXID, file.sequences());
  }

  private GtmConfig config() throws ConfigException {
    GtmConfig c = configFile == null ? GtmConfig.DEFAULTS : GtmConfig.read(configFile);
    GtmConfig.Gxid gxid =
        firstGxid == null
            ? c.gxid()
            : new GtmConfig.Gxid(firstGxid, c.gxid().stopMargin(), c.gxid().warnMargin());
    return new GtmConfig(
            data == null ? c.data() : data,
            listen == null ? c.listen() : listen,
            metrics == null ? c.metrics() : metrics,
            durability == null ? c.durability() : durability,
            c.ioThreads(),
            c.log(),
            gxid,
            c.limits(),
            c.timeouts(),
            group(c.group()),
            c.links(),
            c.access())
        .validated();
  }

  private GroupConfig group(GroupConfig c) {
    return new GroupConfig(
        name == null ? c.name() : name,
        members == null ? c.members() : members,
        witness == null ? c.witness() : witness,
        mode == null ? c.mode() : mode,
        advertise == null ? c.advertise() : advertise,
        c.cluster(),
        c.keyStore(),
        c.passwordFile(),
        c.secretFile(),
        c.stackFile(),
        c.recoveryWaitMs(),
        c.queryLeaseMs());
  }
}

package io.mgtm.ha.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.Ask;
import io.mgtm.common.Cli;
import io.mgtm.common.ConfigException;
import io.mgtm.ha.api.ApiServer;
import io.mgtm.ha.api.ApiSetup;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.kit.Kits;
import io.mgtm.ha.kit.Nearest;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.node.HaNode;
import io.mgtm.ha.node.NodeSetup;
import io.mgtm.ha.notify.Notifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mgtm ha start}: the controller of this machine, or a hierarchy. */
@Command(
    name = "start",
    description = {
      "With --config: runs this machine's controller until SIGTERM or Ctrl-C.",
      "With HIERARCHY: brings it in service, on the best node or the one that --on names."
    },
    mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private AskController ask;

  @Parameters(
      arity = "0..1",
      paramLabel = "HIERARCHY",
      description = "What is brought in service; without it the controller itself starts.")
  private String hierarchy;

  @Option(
      names = "--on",
      paramLabel = "NODE",
      defaultValue = "",
      description = "Where the hierarchy is brought in service.")
  private String on;

  @Option(
      names = "--accept-loss",
      description = "Though that node's copy may lack acknowledged writes.")
  private boolean acceptLoss;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The cluster's configuration, the same on every machine.")
  private Path configFile;

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description = "This machine's name in it. Default: the node whose address this machine has.")
  private String nodeName;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "/var/lib/mgtm-ha",
      description = "Where the controller keeps its log. Default: ${DEFAULT-VALUE}.")
  private Path data;

  @Option(
      names = "--runtime",
      paramLabel = "DIR",
      defaultValue = "/run/mgtm-ha",
      description = "For files that a reboot removes. Default: ${DEFAULT-VALUE}.")
  private Path runtime;

  @Override
  public Integer call() throws IOException, InterruptedException, ConfigException {
    if ((hierarchy == null) == (configFile == null)) {
      throw new ParameterException(
          spec.commandLine(), "either HIERARCHY or --config FILE is needed");
    }
    return configFile == null ? startHierarchy() : startController();
  }

  private int startHierarchy() throws IOException, InterruptedException {
    JsonNode answer =
        ask.post(
            "/v1/hierarchies/" + Ask.segment(hierarchy) + "/start",
            Map.of("node", on, "acceptLoss", acceptLoss));
    PrintWriter out = spec.commandLine().getOut();
    if (!ask.printed(answer, out)) {
      out.println("decided; mgtm ha status shows how far it is");
      out.flush();
    }
    return 0;
  }

  private int startController() throws IOException, InterruptedException, ConfigException {
    ClusterFile file = ClusterFile.read(configFile, HaMain.KITS);
    String name = name(file.config());
    Optional<String> secret = file.secret();
    NodeSetup setup =
        new NodeSetup(
            name,
            file.config(),
            data.toAbsolutePath(),
            runtime.toAbsolutePath(),
            file.secretFile(),
            secret.orElse(""),
            Kits::of,
            file.fences());
    HaNode node = HaNode.start(setup);
    ApiServer api;
    Notifier notifier;
    try {
      notifier = Notifier.start(node, file.tells());
      api =
          ApiServer.start(
              node,
              new ApiSetup(
                  file.config().nodes().get(name).api(),
                  HaMain.KITS,
                  secret,
                  file.tls(),
                  file.access(),
                  Optional.of(notifier)));
    } catch (IOException e) {
      node.close();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(api, notifier, node), "mgtm-stop"));
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "Controller of %s in cluster %s, asked at %s%n",
        name, file.config().cluster(), file.config().nodes().get(name).api());
    out.flush();
    return Cli.awaitFailure(node.failure(), spec.commandLine().getErr());
  }

  private static void stop(ApiServer api, Notifier notifier, HaNode node) {
    api.close();
    notifier.close();
    node.close();
  }

  /** This machine's node. */
  private String name(ClusterConfig config) throws ConfigException, IOException {
    if (nodeName != null) {
      if (!config.nodes().containsKey(nodeName)) {
        throw new ConfigException(
            "--node: " + Nearest.unknown("node", nodeName, config.nodes().keySet()));
      }
      return nodeName;
    }
    for (Map.Entry<String, Node> node : config.nodes().entrySet()) {
      InetAddress address = node.getValue().group().resolve().getAddress();
      if (address != null
          && !address.isLoopbackAddress()
          && NetworkInterface.getByInetAddress(address) != null) {
        return node.getKey();
      }
    }
    throw new ConfigException(
        configFile + ": no node has an address of this machine; say which it is by --node");
  }
}

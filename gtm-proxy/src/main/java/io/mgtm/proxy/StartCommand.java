package io.mgtm.proxy;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.gateway.UpstreamProtocol;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm proxy start}: runs a proxy until it is told to stop. */
@Command(
    name = "start",
    description = "Runs a proxy until SIGTERM or Ctrl-C, which let clients finish first.",
    mixinStandardHelpOptions = true)
final class StartCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "YAML with every other setting.")
  private Path configFile;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where XC nodes connect. Default: 127.0.0.1:6666.")
  private HostPort listen;

  @Option(
      names = "--gtm",
      paramLabel = "HOST:PORT",
      split = ",",
      description = "Nodes of the group, or the original GTM.")
  private List<HostPort> gtm;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of this proxy, unique in the group. Default: proxy.")
  private String name;

  @Option(
      names = "--protocol",
      paramLabel = "PROTOCOL",
      description = "How to speak to the GTM: ${COMPLETION-CANDIDATES}. Default: auto.")
  private UpstreamProtocol protocol;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      description = "Where /metrics and /health are served. Default: nowhere.")
  private HostPort metrics;

  @Override
  public Integer call() throws ConfigException, IOException, InterruptedException {
    ProxyServer server = ProxyServer.start(config());
    Runtime.getRuntime().addShutdownHook(new Thread(server::close, "mgtm-stop"));
    PrintWriter out = spec.commandLine().getOut();
    out.println("Proxy listening on " + HostPort.of(server.address()));
    if (server.metricsAddress() != null) {
      out.println("Metrics on http://" + HostPort.of(server.metricsAddress()) + "/metrics");
    }
    out.flush();
    return Cli.awaitFailure(server.failure(), spec.commandLine().getErr());
  }

  private ProxyConfig config() throws ConfigException {
    ProxyConfig c = configFile == null ? ProxyConfig.DEFAULTS : ProxyConfig.read(configFile);
    return new ProxyConfig(
            name == null ? c.name() : name,
            listen == null ? c.listen() : listen,
            gtm == null ? c.gtm() : gtm,
            protocol == null ? c.protocol() : protocol,
            metrics == null ? c.metrics() : metrics,
            c.allow(),
            c.drainMs(),
            c.secretFile(),
            c.tls(),
            c.limits(),
            c.timeouts())
        .validated();
  }
}

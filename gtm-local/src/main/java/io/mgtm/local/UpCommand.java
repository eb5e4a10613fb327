package io.mgtm.local;

import io.mgtm.common.Cli;
import io.mgtm.common.HostPort;
import io.mgtm.common.ListenErrors;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.cli.GtmMain;
import io.mgtm.gtm.cli.Modes;
import io.mgtm.proxy.ProxyMain;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm up}: a group and a proxy on this machine, until Ctrl-C. */
@Command(
    name = "mgtm up",
    description = "Runs a group of GTM nodes and a proxy on this machine until Ctrl-C.",
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {
  private static final int LEADER_MS = 60_000;

  /** The members of seven nodes listen up to 1,007 above. */
  private static final int PORT_MAX = 65_535 - 1_007;

  private static final int WATCH_MS = 500;
  private static final int RESTART_MS = 1_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "data",
      description = "Holds a folder and a log for each node. Default: ${DEFAULT-VALUE}.")
  private Path data;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "1, 3, 5 or 7 GTM nodes; with mode lazy 1 to 7. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "6666",
      description = {
        "Where the proxy listens; the nodes listen on the ports after it, and for each other on",
        "those 1,000 above. Default: ${DEFAULT-VALUE}."
      })
  private int port;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "fifo",
      completionCandidates = Modes.class,
      converter = Modes.class,
      description =
          "How the group replicates: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private GroupMode mode;

  @Option(names = "--in-process", description = "Everything in this one JVM.")
  private boolean inProcess;

  /** The command line, for the launcher. */
  public static void main(String[] args) {
    System.exit(Cli.run(Cli.of(new UpCommand()), args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    boolean even = nodes % 2 == 0 && mode != GroupMode.LAZY;
    if (nodes < 1 || nodes > 7 || even) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--nodes: %d is not allowed, expected %s"
              .formatted(nodes, even ? "1, 3, 5 or 7, or --mode lazy" : "1 to 7"));
    }
    if (port < 1 || port > PORT_MAX) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--port: %d is not allowed, expected 1 to %d".formatted(port, PORT_MAX));
    }
    LocalSettings settings = LocalSettings.fixed(data, nodes, port, mode.label());
    for (HostPort address : settings.addresses()) {
      ListenErrors.tryOut("--port", address);
    }
    return inProcess ? together(settings) : apart(settings);
  }

  private int apart(LocalSettings settings) throws IOException, InterruptedException {
    LocalInstallation installation = LocalInstallation.start(settings);
    Thread main = Thread.currentThread();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  main.interrupt();
                  installation.close();
                },
                "mgtm-stop"));
    tell(settings, installation.awaitLeader(LEADER_MS));
    try {
      watch(installation);
    } catch (InterruptedException e) {
      // Ctrl-C: the hook stops everything.
      Thread.currentThread().interrupt();
    }
    return 0;
  }

  private void tell(LocalSettings settings, int leader) {
    PrintWriter out = spec.commandLine().getOut();
    for (int i = 0; i < settings.nodes(); i++) {
      out.printf(
          "GTM %s on %s%s%n",
          settings.name(i), settings.clients().get(i), i == leader ? ", leads" : "");
    }
    out.printf(
        "Proxy listening on %s: gtm_host and gtm_port of coordinators and datanodes%n",
        settings.proxy());
    out.printf("Data and logs in %s; Ctrl-C ends it%n", settings.folder());
    out.flush();
  }

  /** Starts again what has ended, so that it can be killed for a look. */
  private void watch(LocalInstallation installation) throws InterruptedException, IOException {
    while (true) {
      TimeUnit.MILLISECONDS.sleep(WATCH_MS);
      for (int i = 0; i < nodes; i++) {
        if (!installation.node(i).isAlive()) {
          say(installation.node(i).name() + " has ended; it is started again");
          TimeUnit.MILLISECONDS.sleep(RESTART_MS);
          installation.restartNode(i);
          say("node " + (installation.leader() + 1) + " of " + nodes + " leads");
        }
      }
      if (!installation.proxy().isAlive()) {
        say("the proxy has ended; it is started again");
        TimeUnit.MILLISECONDS.sleep(RESTART_MS);
        installation.restartProxy();
      }
    }
  }

  private void say(String what) {
    spec.commandLine().getOut().println(what);
    spec.commandLine().getOut().flush();
  }

  private int together(LocalSettings settings) throws IOException, InterruptedException {
    for (int i = 0; i < settings.nodes(); i++) {
      String[] arguments = LocalInstallation.nodeArguments(settings, i).toArray(String[]::new);
      inThread(settings.name(i), () -> GtmMain.commandLine().execute(arguments));
    }
    int leader = new LeaderSearch(settings.clients()).await(LEADER_MS);
    String[] arguments = LocalInstallation.proxyArguments(settings).toArray(String[]::new);
    Thread proxy = inThread("proxy", () -> ProxyMain.commandLine().execute(arguments));
    tell(settings, leader);
    proxy.join();
    return 1;
  }

  private static Thread inThread(String name, Callable<Integer> task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                if (task.call() != 0) {
                  System.exit(1);
                }
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}

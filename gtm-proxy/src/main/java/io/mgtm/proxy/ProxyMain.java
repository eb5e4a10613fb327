package io.mgtm.proxy;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigCommand;
import io.mgtm.common.SchemaCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm proxy …}: runs and asks proxies. */
@Command(
    name = "mgtm proxy",
    description = "Runs and asks proxies between XC nodes and a GTM.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class)
public final class ProxyMain implements SchemaCommand.Configured {
  private static final List<Class<?>> COMMANDS =
      List.of(StartCommand.class, ConfigCommand.class, StatusCommand.class);

  private ProxyMain() {}

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(args), args));
  }

  /**
   * The command line, for tests to call without ending the process.
   *
   * @param args the command that it is made for; none for all
   */
  public static CommandLine commandLine(String... args) {
    return Cli.of(new ProxyMain(), COMMANDS, args);
  }

  @Override
  public String schema() {
    return ProxyConfig.schema();
  }
}

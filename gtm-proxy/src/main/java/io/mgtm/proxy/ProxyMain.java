package io.mgtm.proxy;

import io.mgtm.common.Cli;
import io.mgtm.common.ConfigCommand;
import io.mgtm.common.SchemaCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm proxy …}: runs and asks proxies. */
@Command(
    name = "mgtm proxy",
    description = "Runs and asks proxies between XC nodes and a GTM.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class,
    subcommands = {StartCommand.class, ConfigCommand.class, StatusCommand.class})
public final class ProxyMain implements SchemaCommand.Configured {
  private ProxyMain() {}

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(), args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    return Cli.of(new ProxyMain());
  }

  @Override
  public String schema() {
    return ProxyConfig.schema();
  }
}

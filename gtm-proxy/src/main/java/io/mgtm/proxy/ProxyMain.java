package io.mgtm.proxy;

import io.mgtm.gtm.cli.Cli;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code mgtm proxy …}: runs and asks proxies. */
@Command(
    name = "mgtm proxy",
    description = "Runs and asks proxies between XC nodes and a GTM.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = ProxyMain.Version.class,
    subcommands = {StartCommand.class, StatusCommand.class})
public final class ProxyMain {
  /** The version from the jar's manifest. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = ProxyMain.class.getPackage().getImplementationVersion();
      return new String[] {"mgtm " + (version == null ? "(unpackaged)" : version)};
    }
  }

  private ProxyMain() {}

  /** Runs a command and ends the process with its status. */
  public static void main(String[] args) {
    System.exit(Cli.run(commandLine(), args));
  }

  /** The command line, for tests to call without ending the process. */
  public static CommandLine commandLine() {
    return Cli.of(new ProxyMain());
  }
}

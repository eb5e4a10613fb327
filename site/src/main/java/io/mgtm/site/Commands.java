package io.mgtm.site;

import io.mgtm.bench.BenchMain;
import io.mgtm.block.cli.Main;
import io.mgtm.common.Cli;
import io.mgtm.gtm.cli.GtmMain;
import io.mgtm.ha.cli.HaMain;
import io.mgtm.local.UpCommand;
import io.mgtm.proxy.ProxyMain;
import io.mgtm.query.cli.QueryMain;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands of all programs, below one command {@code mgtm}. */
@Command(
    name = "mgtm",
    description = "A replicated global transaction manager, volumes, and what keeps them running.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class)
public final class Commands {
  private Commands() {}

  /** What packages install. */
  public static CommandLine packaged() {
    CommandLine all = new CommandLine(new Commands());
    add(all, "gtm", GtmMain.commandLine());
    add(all, "proxy", ProxyMain.commandLine());
    add(all, "volume", Main.commandLine());
    add(all, "query", QueryMain.commandLine());
    add(all, "ha", HaMain.commandLine());
    return all;
  }

  /** These, and what the launcher runs in a folder of the sources. */
  public static CommandLine all() {
    CommandLine all = packaged();
    add(all, "up", Cli.of(new UpCommand()));
    add(all, "bench", BenchMain.commandLine());
    return all;
  }

  /** A program is a command of its own, and one of the launcher's. */
  private static void add(CommandLine all, String name, CommandLine program) {
    program.getCommandSpec().name(name);
    all.addSubcommand(name, program);
  }
}

package io.mgtm.packaging;

import io.mgtm.block.cli.Main;
import io.mgtm.common.Cli;
import io.mgtm.gtm.cli.GtmMain;
import io.mgtm.ha.cli.HaMain;
import io.mgtm.proxy.ProxyMain;
import io.mgtm.query.cli.QueryMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** The manual pages, in AsciiDoc, and bash's completion of the command {@code mgtm}. */
@Command(
    name = "mgtm",
    description = "A replicated global transaction manager, volumes, and what keeps them running.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Cli.Version.class)
public final class CommandTexts {
  private static final boolean[] QUIET = {};

  private CommandTexts() {}

  /**
   * Writes them.
   *
   * @param args the folder for {@code man/*.adoc} and {@code mgtm}, the completion
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    CommandLine all = new CommandLine(new CommandTexts());
    add(all, "gtm", GtmMain.commandLine());
    add(all, "proxy", ProxyMain.commandLine());
    add(all, "volume", Main.commandLine());
    add(all, "query", QueryMain.commandLine());
    add(all, "ha", HaMain.commandLine());
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("mgtm"), AutoComplete.bash("mgtm", all));
    int status =
        ManPageGenerator.generateManPage(
            folder.resolve("man").toFile(), null, QUIET, false, all.getCommandSpec());
    if (status != CommandLine.ExitCode.OK) {
      throw new IOException("the manual pages could not be made: status " + status);
    }
  }

  /** A program is a command of its own, and one of the launcher's. */
  private static void add(CommandLine all, String name, CommandLine program) {
    program.getCommandSpec().name(name);
    all.addSubcommand(name, program);
  }
}

package io.mgtm.packaging;

import io.mgtm.site.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** The manual pages, in AsciiDoc, and bash's completion of the command {@code mgtm}. */
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
    CommandLine all = Commands.packaged();
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("mgtm"), AutoComplete.bash("mgtm", all));
    int status =
        ManPageGenerator.generateManPage(
            folder.resolve("man").toFile(), null, QUIET, false, all.getCommandSpec());
    if (status != CommandLine.ExitCode.OK) {
      throw new IOException("the manual pages could not be made: status " + status);
    }
  }
}

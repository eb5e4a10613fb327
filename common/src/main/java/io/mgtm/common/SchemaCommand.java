package io.mgtm.common;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code config schema} of each program. */
@Command(
    name = "schema",
    description = "Prints the JSON Schema of the file, for editors.",
    mixinStandardHelpOptions = true)
public final class SchemaCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  /** A program that reads a configuration file. */
  public interface Configured {
    /** The JSON Schema of the file. */
    String schema();
  }

  private SchemaCommand() {}

  @Override
  public Integer call() {
    CommandSpec program = spec;
    while (!(program.userObject() instanceof Configured)) {
      program = program.parent();
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(((Configured) program.userObject()).schema());
    out.flush();
    return 0;
  }
}

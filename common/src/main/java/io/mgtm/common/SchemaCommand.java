package io.mgtm.common;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code config schema} of each program, which gives it its name. */
@Command(
    description = "Prints the JSON Schema of the file, for editors.",
    mixinStandardHelpOptions = true)
public abstract class SchemaCommand implements Callable<Integer> {
  private final Supplier<String> schema;
  @Spec private CommandSpec spec;

  /** Prints what {@code schema} makes. */
  protected SchemaCommand(Supplier<String> schema) {
    this.schema = schema;
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(schema.get());
    out.flush();
    return 0;
  }
}

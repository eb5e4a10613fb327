package io.mgtm.common;

import picocli.CommandLine.Command;

/** {@code config} of a program whose file is only read at its start. */
@Command(
    name = "config",
    description = "The configuration file.",
    mixinStandardHelpOptions = true,
    subcommands = SchemaCommand.class)
public final class ConfigCommand {
  private ConfigCommand() {}
}

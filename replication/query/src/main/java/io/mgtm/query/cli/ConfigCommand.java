package io.mgtm.query.cli;

import io.mgtm.common.SchemaCommand;
import io.mgtm.query.config.QueryConfig;
import picocli.CommandLine.Command;

/** {@code mgtm query config} and its command. */
@Command(
    name = "config",
    description = "The configuration file of a query replicator.",
    mixinStandardHelpOptions = true,
    subcommands = ConfigCommand.Schema.class)
final class ConfigCommand {
  private ConfigCommand() {}

  /** {@code mgtm query config schema}. */
  @Command(name = "schema")
  static final class Schema extends SchemaCommand {
    Schema() {
      super(QueryConfig::schema);
    }
  }
}

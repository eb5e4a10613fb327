package io.mgtm.gtm.cli;

import io.mgtm.common.SchemaCommand;
import io.mgtm.gtm.config.GtmConfig;
import picocli.CommandLine.Command;

/** {@code mgtm gtm config} and its command. */
@Command(
    name = "config",
    description = "The configuration file of a GTM.",
    mixinStandardHelpOptions = true,
    subcommands = ConfigCommand.Schema.class)
final class ConfigCommand {
  private ConfigCommand() {}

  /** {@code mgtm gtm config schema}. */
  @Command(name = "schema")
  static final class Schema extends SchemaCommand {
    Schema() {
      super(GtmConfig::schema);
    }
  }
}

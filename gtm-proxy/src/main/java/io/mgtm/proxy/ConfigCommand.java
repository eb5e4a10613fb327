package io.mgtm.proxy;

import io.mgtm.common.SchemaCommand;
import picocli.CommandLine.Command;

/** {@code mgtm proxy config} and its command. */
@Command(
    name = "config",
    description = "The configuration file of a proxy.",
    mixinStandardHelpOptions = true,
    subcommands = ConfigCommand.Schema.class)
final class ConfigCommand {
  private ConfigCommand() {}

  /** {@code mgtm proxy config schema}. */
  @Command(name = "schema")
  static final class Schema extends SchemaCommand {
    Schema() {
      super(ProxyConfig::schema);
    }
  }
}

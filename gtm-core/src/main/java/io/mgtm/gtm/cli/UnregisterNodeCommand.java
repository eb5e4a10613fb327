package io.mgtm.gtm.cli;

import io.mgtm.gtm.cli.Views.UnregisteredView;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.NodeType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm unregister-node}: forgets a node that is gone for good. */
@Command(name = "unregister-node", description = "Forgets a node that is gone for good.")
final class UnregisterNodeCommand extends ClientCommand {
  @Option(
      names = "--type",
      paramLabel = "TYPE",
      required = true,
      description = "One of ${COMPLETION-CANDIDATES}.")
  private NodeType type;

  @Parameters(paramLabel = "NAME", description = "The node's name.")
  private String name;

  @Override
  Answer ask(GtmClient client) throws IOException {
    client.unregister(type, new String(name.getBytes(StandardCharsets.UTF_8), Names.BYTES));
    return new Answer(
        new UnregisteredView(Views.lower(type), name),
        "unregistered " + Views.lower(type) + " " + name + "\n");
  }
}

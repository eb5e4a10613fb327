package io.mgtm.gtm.cli;

import io.mgtm.common.TextTable;
import io.mgtm.gtm.cli.Views.NodeView;
import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code mgtm gtm nodes}: every registered node. */
@Command(name = "nodes", description = "Lists the registered nodes.")
final class NodesCommand extends ClientCommand {
  @Override
  Answer ask(GtmClient client) throws IOException {
    List<NodeView> all = client.nodes().stream().map(NodeView::of).toList();
    TextTable table = new TextTable("TYPE", "NAME", "HOST", "PORT", "PROXY", "CONNECTED", "DATA");
    for (NodeView n : all) {
      table.add(
          n.type(),
          n.name(),
          n.host().isEmpty() ? "-" : n.host(),
          n.port(),
          n.proxy().isEmpty() ? "-" : n.proxy(),
          n.connected() ? "yes" : "no",
          n.dataFolder().isEmpty() ? "-" : n.dataFolder());
    }
    return new Answer(Map.of("nodes", all), table.render("no nodes"));
  }
}

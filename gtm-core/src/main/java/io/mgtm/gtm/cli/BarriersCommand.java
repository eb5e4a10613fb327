package io.mgtm.gtm.cli;

import io.mgtm.common.TextTable;
import io.mgtm.gtm.cli.Views.BarrierView;
import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code mgtm gtm barriers}: the points that CREATE BARRIER has set. */
@Command(name = "barriers", description = "Lists the barriers that are remembered, oldest first.")
final class BarriersCommand extends ClientCommand {
  @Override
  Answer ask(GtmClient client) throws IOException {
    List<BarrierView> all = client.barriers().stream().map(BarrierView::of).toList();
    TextTable table = new TextTable("ID", "NEXT GXID", "TIME");
    all.forEach(b -> table.add(b.id(), b.nextGxid(), b.time()));
    return new Answer(Map.of("barriers", all), table.render("no barriers"));
  }
}

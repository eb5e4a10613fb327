package io.mgtm.gtm.cli;

import io.mgtm.common.TextTable;
import io.mgtm.gtm.cli.Views.TransactionView;
import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code mgtm gtm txns}: every open transaction. */
@Command(name = "txns", description = "Lists the open transactions, oldest first.")
final class TransactionsCommand extends ClientCommand {
  @Override
  Answer ask(GtmClient client) throws IOException {
    List<TransactionView> all =
        client.transactions().transactions().stream().map(TransactionView::of).toList();
    TextTable table =
        new TextTable("GXID", "STATE", "ISOLATION", "MODE", "SESSION", "BACKEND", "XMIN", "GID");
    for (TransactionView t : all) {
      table.add(
          t.gxid() == 0 ? "-" : t.gxid(),
          t.state(),
          t.isolation(),
          t.autovacuum() ? "autovacuum" : t.readOnly() ? "read only" : "read write",
          t.session(),
          t.backend() < 0 ? "-" : t.backend(),
          t.xmin() == 0 ? "-" : t.xmin(),
          t.gid().isEmpty() ? "-" : t.gid());
    }
    return new Answer(Map.of("transactions", all), table.render("no open transactions"));
  }
}

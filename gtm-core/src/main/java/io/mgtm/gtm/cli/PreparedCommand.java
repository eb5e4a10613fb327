package io.mgtm.gtm.cli;

import io.mgtm.common.TextTable;
import io.mgtm.gtm.cli.Views.PreparedView;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.TransactionState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/**
 * {@code mgtm gtm prepared}: what waits for COMMIT PREPARED or ROLLBACK PREPARED. Taken from the
 * list of all transactions, which an original GTM answers too.
 */
@Command(name = "prepared", description = "Lists the prepared transactions, oldest first.")
final class PreparedCommand extends ClientCommand {
  @Override
  Answer ask(GtmClient client) throws IOException {
    List<PreparedView> prepared =
        client.transactions().transactions().stream()
            .filter(t -> t.state() == TransactionState.PREPARED)
            .map(
                t ->
                    new PreparedView(
                        Views.unsigned(t.gxid()),
                        Names.printable(t.gid()),
                        Names.printable(t.nodes())))
            .toList();
    TextTable table = new TextTable("GXID", "GID", "NODES");
    prepared.forEach(t -> table.add(t.gxid(), t.gid(), t.nodes()));
    return new Answer(Map.of("prepared", prepared), table.render("no prepared transactions"));
  }
}

package io.mgtm.gtm.cli;

import io.mgtm.gtm.cli.Views.AdvancedView;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.TransactionReply.OldestGxidAdvanced;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code mgtm gtm advance-oldest}: moves the wraparound limits ahead after a freeze. */
@Command(
    name = "advance-oldest",
    description =
        "Tells the GTM the oldest gxid that any table of any node still holds (the least"
            + " datfrozenxid), which moves the wraparound limits ahead.")
final class AdvanceOldestCommand extends ClientCommand {
  private static final long GXID_MAX = 0xffff_ffffL;

  @Option(names = "--gxid", paramLabel = "GXID", required = true, description = "That gxid.")
  private long gxid;

  @Override
  Answer ask(GtmClient client) throws IOException {
    if (gxid < 0 || gxid > GXID_MAX) {
      throw bad("--gxid: " + gxid + " is not allowed, expected 3 to " + GXID_MAX);
    }
    OldestGxidAdvanced reply = client.advanceOldestGxid((int) gxid);
    AdvancedView view =
        new AdvancedView(Views.unsigned(reply.oldestGxid()), Views.unsigned(reply.stopGxid()));
    return new Answer(
        view, "oldest gxid " + view.oldestGxid() + ", begins stop at " + view.stopGxid() + "\n");
  }
}

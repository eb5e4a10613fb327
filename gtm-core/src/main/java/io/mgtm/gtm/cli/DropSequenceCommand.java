package io.mgtm.gtm.cli;

import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code mgtm gtm drop-sequence}: removes what a renamed schema or a lost node left behind. */
@Command(
    name = "drop-sequence",
    description = "Drops a sequence from the GTM that no database has any more.")
final class DropSequenceCommand extends ClientCommand {
  @Parameters(paramLabel = "NAME", description = "database.schema.sequence")
  private String name;

  @Override
  Answer ask(GtmClient client) throws IOException {
    String key = GtmClient.sequenceKey(name);
    // Dropping one that is not there succeeds; a typing error should not.
    client.lastValue(key);
    client.dropSequence(key);
    return new Answer(Map.of("dropped", name), "dropped " + name + "\n");
  }
}

package io.mgtm.gtm.cli;

import io.mgtm.common.TextTable;
import io.mgtm.gtm.cli.Views.SequenceView;
import io.mgtm.gtm.client.GtmClient;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code mgtm gtm sequences}: every sequence and where it stands. */
@Command(name = "sequences", description = "Lists the sequences.")
final class SequencesCommand extends ClientCommand {
  @Override
  Answer ask(GtmClient client) throws IOException {
    List<SequenceView> all =
        client.sequences().stream()
            .map(SequenceView::of)
            .sorted(Comparator.comparing(SequenceView::name))
            .toList();
    TextTable table =
        new TextTable("NAME", "LAST VALUE", "START", "INCREMENT", "MIN", "MAX", "CYCLE");
    for (SequenceView s : all) {
      table.add(
          s.name(),
          s.called() ? s.value() : "-",
          s.start(),
          s.increment(),
          s.min(),
          s.max(),
          s.cycle() ? "yes" : "no");
    }
    return new Answer(Map.of("sequences", all), table.render("no sequences"));
  }
}

package io.mgtm.bench;

import io.mgtm.bench.ModesBench.Group;
import io.mgtm.bench.ModesBench.Row;
import io.mgtm.bench.report.Spread;
import io.mgtm.common.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench modes}: what each way to replicate costs. */
@Command(
    name = "modes",
    description = {
      "Starts groups of this machine one after the other, each with a proxy, runs load through the"
          + " proxy and, in turn, on a reference, and prints a row of Markdown for each.",
      "Exit status 1 when a request failed or the checker found something."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class ModesCommand implements Callable<Integer> {
  /** Of a reference that is not there. */
  private static final Spread NONE = Spread.of(0);

  @Spec private CommandSpec spec;

  @Option(
      names = "--reference",
      paramLabel = "HOST:PORT",
      description = "What to compare with, for example the original's proxy. Default: nothing.")
  private HostPort reference;

  @Option(
      names = "--groups",
      split = ",",
      paramLabel = "MODE:NODES",
      defaultValue = "fifo:3",
      description = "Default: ${DEFAULT-VALUE}.")
  private List<String> groups;

  @Option(
      names = "--connections",
      split = ",",
      paramLabel = "N",
      defaultValue = "8,64",
      description = "How many clients, one run for each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> connections;

  @Option(
      names = "--open",
      split = ",",
      paramLabel = "N",
      defaultValue = "0",
      description = "Transactions held open beside the load. Default: ${DEFAULT-VALUE}.")
  private List<Integer> opens;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often each is measured, in turns. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "3",
      description = "How long each time. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "15",
      description = "Load on a new group before anything counts. Default: ${DEFAULT-VALUE}.")
  private double warmup;

  @Option(
      names = "--floor",
      description = {
        "Also measures, in turn, a chain of a proxy, a leader and a follower that do nothing but pass"
            + " the same requests and answers on."
      })
  private boolean floor;

  @Mixin private MixOption mix;

  @Mixin private NodeConfig config;

  @Override
  public Integer call() throws IOException, InterruptedException {
    CheckedRuns runs = new CheckedRuns(spec.commandLine().getErr());
    ModesBench bench =
        new ModesBench(
            new ModesBench.Settings(
                reference,
                false,
                connections,
                opens,
                rounds,
                seconds,
                warmup,
                floor,
                mix.value(),
                config.options()),
            runs);
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        "| mode | nodes | connections | open | reference op/s | mgtm op/s | ratio | lowest |"
            + " highest | p50 µs | p99 µs | CPU s per 100,000 transactions |"
            + (floor ? " floor op/s | mgtm to floor | floor to reference |" : ""));
    out.println(
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|" + (floor ? "--:|--:|--:|" : ""));
    for (String group : groups) {
      bench.measure(Group.parse(group), row -> print(out, row));
    }
    return runs.exitStatus();
  }

  private static void print(PrintWriter out, Row row) {
    Spread ours = Row.perSecond(row.ours());
    Spread theirs = row.reference().isEmpty() ? NONE : Row.perSecond(row.reference());
    Spread ratio = row.reference().isEmpty() ? NONE : ours.to(theirs);
    out.printf(
        Locale.ROOT,
        "| %s | %d | %d | %d | %,.0f | %,.0f | **%.2f** | %.2f | %.2f | %.0f | %.0f | %.2f |",
        row.group().mode(),
        row.group().nodes(),
        row.connections(),
        row.open(),
        theirs.median(),
        ours.median(),
        ratio.median(),
        ratio.lowest(),
        ratio.highest(),
        Spread.of(row.ours(), r -> r.latency().p50Micros()).median(),
        Spread.of(row.ours(), r -> r.latency().p99Micros()).median(),
        row.cpu().median());
    if (!row.floor().isEmpty()) {
      Spread floors = Row.perSecond(row.floor());
      out.printf(
          Locale.ROOT,
          " %,.0f | **%.2f** | %.2f |",
          floors.median(),
          ours.to(floors).median(),
          row.reference().isEmpty() ? 0 : floors.to(theirs).median());
    }
    out.println();
    out.flush();
  }
}

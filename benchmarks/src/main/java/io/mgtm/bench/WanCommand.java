package io.mgtm.bench;

import io.mgtm.bench.failover.ProcessNetwork;
import io.mgtm.bench.failover.SlowLine;
import io.mgtm.bench.report.LineTable;
import io.mgtm.bench.volume.WanVolumes;
import io.mgtm.local.JavaCommand;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mgtm bench wan}: what a wide-area line between copies and members costs. */
@Command(
    name = "wan",
    description = {
      "Measures a replicated volume and groups behind a proxy, each without a line and over one"
          + " between network namespaces of this machine, and prints one table of Markdown."
          + " Clients, the proxy and the first leader are before the line.",
      "Takes root, iproute2, fio and a kernel with netem; ./mgtm lab --wan runs it on one that has."
          + " Exit status 1 when a request failed, the checker found something, a replica is not"
          + " equal, or a resync sent other than what had changed."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class WanCommand implements Callable<Integer> {
  /** What can be measured. */
  enum Part {
    /** A volume and its replica. */
    VOLUME,
    /** Groups of GTMs. */
    GROUP
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      defaultValue = "volume,group",
      description = "volume, group. Default: ${DEFAULT-VALUE}.")
  private List<Part> only;

  @Option(
      names = "--line",
      paramLabel = "NETEM",
      defaultValue = SlowLine.WAN,
      description =
          "What the line does to packets, each way, as tc takes it. Default: ${DEFAULT-VALUE}.")
  private String line;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "4",
      description = "Of each run of load. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "16M",
      description = "Of the volume. Default: ${DEFAULT-VALUE}.")
  private String size;

  @Option(
      names = "--depths",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,32",
      description = "How many writes are under way at once. Default: ${DEFAULT-VALUE}.")
  private List<Integer> depths;

  @Option(
      names = "--groups",
      split = ",",
      paramLabel = "MODE:NODES",
      defaultValue = "fifo:3,lazy:2",
      description = {
        "The last member is behind the line, then the last two, and so on. Default:"
            + " ${DEFAULT-VALUE}."
      })
  private List<String> groups;

  @Option(
      names = "--connections",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,8",
      description =
          "How many clients; a leader is killed under the most. Default: ${DEFAULT-VALUE}.")
  private List<Integer> connections;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "25",
      description =
          "Load on a new volume or group before anything counts. Default: ${DEFAULT-VALUE}.")
  private double warmup;

  @Option(
      names = "--java-options",
      paramLabel = "OPTIONS",
      defaultValue = "",
      description = "More for the JVMs of volumes, nodes and proxy, as one argument.")
  private String javaOptions;

  @Mixin private MixOption mix;

  @Mixin private NodeConfig config;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<ModesBench.Group> of = groups.stream().map(ModesBench.Group::parse).toList();
    if (of.stream().anyMatch(group -> group.nodes() < 2)
        || seconds <= 0
        || warmup <= 0
        || !Stream.concat(connections.stream(), depths.stream()).allMatch(n -> n > 0)) {
      throw new IllegalArgumentException(
          "--seconds, --warmup, --connections and --depths must be above 0, and groups have 2 nodes"
              + " or more");
    }
    if (!ProcessNetwork.isPossible()) {
      throw new IOException("network namespaces need root and iproute2");
    }
    List<String> options = JavaCommand.options(javaOptions);
    CheckedRuns runs = new CheckedRuns(spec.commandLine().getErr());
    LineTable table = new LineTable(spec.commandLine().getOut());
    table.begin(line);
    if (only.contains(Part.VOLUME)) {
      List<String> jvm =
          new ArrayList<>(JavaCommand.options(System.getProperty("mgtm.volumeJavaOptions", "")));
      jvm.addAll(options);
      new WanVolumes(
              new WanVolumes.Settings(line, size, seconds, depths, warmup, jvm),
              runs::find,
              this::tell)
          .measure(table);
    }
    if (only.contains(Part.GROUP)) {
      List<String> jvm = new ArrayList<>(LocalSettings.JVM_OPTIONS);
      jvm.addAll(options);
      WanGroups bench =
          new WanGroups(
              new WanGroups.Settings(
                  line, connections, seconds, warmup, mix.value(), jvm, config.options()),
              runs,
              this::tell);
      for (ModesBench.Group group : of) {
        bench.measure(group, table);
      }
    }
    return runs.exitStatus();
  }

  private void tell(String what) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(what);
    err.flush();
  }
}

package io.mgtm.ha.cli;

import io.mgtm.common.ConfigException;
import io.mgtm.group.quorumdisk.DiskException;
import io.mgtm.group.quorumdisk.QuorumDisk;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.model.ClusterConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mgtm ha quorum-disk} and its commands, which ask no controller. */
@Command(
    name = "quorum-disk",
    description = "The disk that votes in place of a witness.",
    mixinStandardHelpOptions = true,
    subcommands = {
      QuorumDiskCommands.Create.class,
      QuorumDiskCommands.Show.class,
      QuorumDiskCommands.Renew.class
    })
final class QuorumDiskCommands {
  private QuorumDiskCommands() {}

  /** What the commands share: the disk that a file names. */
  abstract static class OfFile implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        defaultValue = "/etc/mgtm/ha.yaml",
        description = "The file of the cluster, which names the disk. Default: ${DEFAULT-VALUE}.")
    private Path file;

    /** What is done with it; the lines tell of it. */
    abstract List<String> run(Path disk, ClusterConfig config)
        throws ConfigException, DiskException;

    @Override
    public Integer call() throws ConfigException {
      ClusterConfig config = ClusterFile.read(file, HaMain.KITS).config();
      if (config.quorumDisk().isEmpty()) {
        throw new ConfigException(file + " names no quorumDisk; docs/ha.md tells what that is");
      }
      PrintWriter out = spec.commandLine().getOut();
      try {
        run(Path.of(config.quorumDisk()), config).forEach(out::println);
      } catch (DiskException e) {
        throw new ConfigException("quorum disk: " + e.getMessage(), e);
      }
      out.flush();
      return 0;
    }
  }

  /** {@code mgtm ha quorum-disk create}. */
  @Command(
      name = "create",
      description = {
        "Makes the disk, once, on one of the machines, before the controllers are started with it.",
        "A disk that is made again has lost its votes: both controllers must be running."
      },
      mixinStandardHelpOptions = true)
  static final class Create extends OfFile {
    @Option(names = "--force", description = "Though there is something on it, which is lost.")
    private boolean force;

    @Option(
        names = "--both-running",
        description = {
          "Though it votes: what it has decided is forgotten, so that both controllers must be",
          "running, as mgtm ha status of one tells."
        })
    private boolean bothRunning;

    @Override
    List<String> run(Path disk, ClusterConfig config) throws ConfigException, DiskException {
      List<String> nodes = List.copyOf(config.nodes().keySet());
      if (QuorumDisk.votes(disk) && !(force && bothRunning)) {
        throw new ConfigException(
            "%s is a quorum disk already, and votes. Creating it again discards its votes, and without them a single node has no majority. Check with mgtm ha status that both controllers are running, then use --force --both-running"
                .formatted(disk));
      }
      QuorumDisk.create(disk, config.cluster(), nodes, force);
      return List.of(
          "%s is the quorum disk of %s, for %s"
              .formatted(disk, config.cluster(), String.join(" and ", nodes)));
    }
  }

  /** {@code mgtm ha quorum-disk show}. */
  @Command(
      name = "show",
      description = "Shows what each node has written on the disk.",
      mixinStandardHelpOptions = true)
  static final class Show extends OfFile {
    @Override
    List<String> run(Path disk, ClusterConfig config) throws DiskException {
      try (QuorumDisk open = QuorumDisk.open(disk)) {
        return open.describe();
      }
    }
  }

  /** {@code mgtm ha quorum-disk renew}. */
  @Command(
      name = "renew",
      description = {
        "Gives a node a new place on the disk: after its machine or data folder was replaced, or",
        "when it is new. What was in the former place still counts."
      },
      mixinStandardHelpOptions = true)
  static final class Renew extends OfFile {
    @Parameters(paramLabel = "NODE", description = "The node of the configuration.")
    private String node;

    @Override
    List<String> run(Path disk, ClusterConfig config) throws ConfigException, DiskException {
      if (!config.nodes().containsKey(node)) {
        throw new ConfigException(
            "there is no node %s, but %s"
                .formatted(node, String.join(", ", config.nodes().keySet())));
      }
      QuorumDisk.renew(disk, node);
      return List.of("%s has a new place on %s".formatted(node, disk));
    }
  }
}

package io.mgtm.bench.volume;

import io.mgtm.local.JavaCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench volume}: a volume against other servers on the same files, as one table each. */
@Command(
    name = "volume",
    description = {
      "Measures volumes by fio beside nbdkit's file plugin and qemu-storage-daemon, on the same"
          + " files, in turns; a synchronously replicated one beside qemu's quorum driver; a"
          + " resync; the flash library beside fio; and pgbench with and without a replica.",
      "Needs fio, nbdkit and qemu-storage-daemon (Debian: fio nbdkit qemu-system-common);"
          + " pgbench needs root, and Debian's postgresql, libnbd-bin and fuse3."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
public final class VolumeCommand implements Callable<Integer> {
  /** What can be measured. */
  enum Part {
    /** Unreplicated. */
    ALONE,
    /** Unreplicated, by each way to the disk. */
    IO,
    /** Replicated, target in memory. */
    REPLICATED,
    /** A resync of everything, and of one chunk in a hundred. */
    RESYNC,
    /** The flash library beside fio's io_uring engine. */
    FLASH,
    /** PostgreSQL with and without a replica. */
    POSTGRES
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      description = "alone, io, replicated, resync, flash, postgres. Default: all.")
  private List<Part> only = new ArrayList<>();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      defaultValue = "512M",
      description = "Of the volumes of alone, io and replicated. Default: ${DEFAULT-VALUE}.")
  private String size;

  @Option(
      names = "--resync-size",
      paramLabel = "SIZE",
      defaultValue = "2G",
      description = "Of the volume that is resynced. Default: ${DEFAULT-VALUE}.")
  private String resyncSize;

  @Option(
      names = "--pg-size",
      paramLabel = "SIZE",
      defaultValue = "6G",
      description = "Of each volume with a database. Default: ${DEFAULT-VALUE}.")
  private String postgresSize;

  @Option(
      names = "--pg-scale",
      paramLabel = "N",
      defaultValue = "64",
      description = "pgbench's scale, about 15 MB each. Default: ${DEFAULT-VALUE}.")
  private int postgresScale;

  @Option(
      names = "--pg-clients",
      paramLabel = "N",
      split = ",",
      defaultValue = "16,64",
      description = "pgbench's clients, a row for each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> postgresClients;

  @Option(
      names = "--pg-places",
      paramLabel = "PLACE",
      split = ",",
      defaultValue = "disk",
      description = "Where the primary's bytes lie: disk, memory. Default: ${DEFAULT-VALUE}.")
  private List<PostgresBench.Place> postgresPlaces;

  @Option(
      names = "--pg-seconds",
      paramLabel = "S",
      defaultValue = "6",
      description = "Of each run of pgbench. Default: ${DEFAULT-VALUE}.")
  private int postgresSeconds;

  @Option(
      names = "--pg-rounds",
      paramLabel = "N",
      defaultValue = "4",
      description = "How often each database is measured. Default: ${DEFAULT-VALUE}.")
  private int postgresRounds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "2",
      description = "How often each of the others is measured. Default: 2, ten minutes in all.")
  private int rounds;

  @Option(
      names = "--depths",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,32",
      description =
          "How many requests are under way at once in alone, io and replicated, a row for each."
              + " Default: ${DEFAULT-VALUE}.")
  private List<Integer> depths;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "2",
      description = "Of each run of fio. Default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--folder",
      paramLabel = "FOLDER",
      description = "Where the files lie; default: the system's temporary folder.")
  private Path parent;

  @Option(
      names = "--java-options",
      paramLabel = "OPTIONS",
      defaultValue = "",
      description = "For the volume's JVM, as one argument.")
  private String javaOptions;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rounds < 1 || postgresRounds < 1) {
      throw new IllegalArgumentException("--rounds and --pg-rounds must be above 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    Set<Part> parts = only.isEmpty() ? EnumSet.allOf(Part.class) : EnumSet.copyOf(only);
    for (Part part : parts) {
      String bytes =
          switch (part) {
            case RESYNC -> resyncSize;
            case POSTGRES -> postgresSize;
            default -> size;
          };
      try (VolumeSetup setup =
          VolumeSetup.make(parent, bytes, seconds, JavaCommand.options(javaOptions))) {
        Programs programs = setup.programs();
        Fio fio = setup.fio();
        Path folder = setup.folder();
        Path memory = setup.memory();
        switch (part) {
          case ALONE -> new BaselineBench(programs, fio, folder, depths, rounds).run(out);
          case IO -> new IoBench(programs, fio, folder, depths, rounds).run(out);
          case REPLICATED -> new ReplicatedBench(programs, fio, memory, depths, rounds).run(out);
          case RESYNC -> new ResyncBench(programs, fio, memory, rounds).run(out);
          case FLASH -> new FlashBench(fio, folder, rounds, seconds).run(out);
          case POSTGRES ->
              new PostgresBench(programs, folder, memory, postgresRounds, postgresLoad()).run(out);
        }
      }
    }
    return 0;
  }

  private PostgresBench.Load postgresLoad() {
    return new PostgresBench.Load(postgresClients, postgresPlaces, postgresSeconds, postgresScale);
  }
}

package io.mgtm.bench.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs fio's NBD engine. */
final class Fio {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int EXTRA_SECONDS_MAX = 60;

  /**
   * What a run gave.
   *
   * @param perSecond operations a second
   * @param p50Us the median latency in microseconds
   * @param p99Us the 99th percentile in microseconds
   */
  record Figures(double perSecond, double p50Us, double p99Us) {}

  private final Path folder;
  private final String size;
  private final double seconds;

  /** Runs of {@code seconds} over the first {@code size} bytes of each volume. */
  Fio(Path folder, String size, double seconds) {
    this.folder = folder;
    this.size = size;
    this.seconds = seconds;
  }

  /** As {@link #random}, for a server that has to compile first. */
  void warmUp(Path socket, String how, int depth) throws IOException, InterruptedException {
    var unused = runRandom(socket, how, depth, 0);
  }

  /**
   * 4 KiB at random for the time given, after a second that does not count.
   *
   * @param how fio's name: randread or randwrite
   * @throws IOException when fio fails, or found an error
   */
  Figures random(Path socket, String how, int depth) throws IOException, InterruptedException {
    JsonNode job = runRandom(socket, how, depth, 1);
    JsonNode side = job.path(how.endsWith("read") ? "read" : "write");
    JsonNode percentile = side.path("clat_ns").path("percentile");
    return new Figures(
        side.path("iops").asDouble(),
        percentile.path("50.000000").asDouble() / 1000,
        percentile.path("99.000000").asDouble() / 1000);
  }

  private JsonNode runRandom(Path socket, String how, int depth, int rampSeconds)
      throws IOException, InterruptedException {
    return run(
        socket,
        "--rw=" + how,
        "--bs=4k",
        "--iodepth=" + depth,
        "--norandommap=1",
        "--randrepeat=0",
        "--time_based=1",
        "--ramp_time=" + rampSeconds,
        "--runtime=" + milliseconds());
  }

  /** It takes no fraction of a second. */
  private String milliseconds() {
    return Math.round(seconds * 1_000) + "ms";
  }

  /** Writes the whole volume once, in large pieces. */
  void fill(Path socket) throws IOException, InterruptedException {
    var unused =
        run(socket, "--rw=write", "--bs=1m", "--iodepth=8", "--refill_buffers=1", "--end_fsync=1");
  }

  /** Writes one 4 KiB block into each {@code stride} bytes. */
  void sprinkle(Path socket, long stride) throws IOException, InterruptedException {
    var unused =
        run(socket, "--rw=write:" + (stride - 4096), "--bs=4k", "--iodepth=8", "--end_fsync=1");
  }

  /** 4 KiB writes at random by fio's own io_uring engine, registered buffers and file. */
  Figures ringWrites(Path file, int depth) throws IOException, InterruptedException {
    JsonNode side =
        execute(
                List.of(
                    "--ioengine=io_uring",
                    "--fixedbufs=1",
                    "--registerfiles=1",
                    "--filename=" + file,
                    "--overwrite=1",
                    "--rw=randwrite",
                    "--bs=4k",
                    "--iodepth=" + depth,
                    "--norandommap=1",
                    "--time_based=1",
                    "--runtime=" + milliseconds()))
            .path("write");
    return new Figures(side.path("iops").asDouble(), 0, 0);
  }

  private JsonNode run(Path socket, String... settings) throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--ioengine=nbd",
                "--uri=nbd+unix:///" + Programs.EXPORT + "?socket=" + socket,
                "--size=" + size));
    all.addAll(List.of(settings));
    return execute(all);
  }

  private JsonNode execute(List<String> settings) throws IOException, InterruptedException {
    Path output = folder.resolve("fio.json");
    Path errors = folder.resolve("fio.log");
    List<String> command = new ArrayList<>(List.of("fio", "--name=bench", "--output-format=json"));
    command.addAll(settings);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      if (!process.waitFor((long) seconds + EXTRA_SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new IOException("fio took too long: " + String.join(" ", command));
      }
    } finally {
      process.destroyForcibly(); // When it, or this thread, was not to go on.
    }
    String text = Files.readString(output);
    int begin = text.indexOf('{');
    JsonNode job = begin < 0 ? null : JSON.readTree(text.substring(begin)).path("jobs").path(0);
    if (process.exitValue() != 0 || job == null || job.path("error").asInt() != 0) {
      throw new IOException("fio failed: " + Files.readString(errors).strip());
    }
    return job;
  }
}

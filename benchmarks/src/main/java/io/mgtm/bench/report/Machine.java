package io.mgtm.bench.report;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the figures are of.
 *
 * @param processor its model
 * @param processors how many this program may use
 * @param memoryMb in millions of bytes
 * @param disk what the temporary folder lies on, where volumes and logs are
 * @param temporaryFolder that folder
 */
public record Machine(
    String system,
    String kernel,
    String processor,
    int processors,
    long memoryMb,
    String disk,
    String temporaryFolder,
    String jvm) {
  private static final Path PROC = Path.of("/proc");
  private static final String UNKNOWN = "unknown";

  /** This machine. */
  public static Machine here() throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    return new Machine(
        field(Path.of("/etc/os-release"), "PRETTY_NAME", "=").replace("\"", ""),
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"),
        field(PROC.resolve("cpuinfo"), "model name", ":"),
        Runtime.getRuntime().availableProcessors(),
        memoryMb(field(PROC.resolve("meminfo"), "MemTotal", ":")),
        disk(Files.getFileStore(temporary)),
        temporary.toString(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
  }

  /** What waited for a processor, on the average of the last minute. */
  public static double load() throws IOException {
    String text = Files.readString(PROC.resolve("loadavg"));
    return Double.parseDouble(text.split(" ", 2)[0]);
  }

  /** The value of the first line with this name. */
  static String field(Path file, String name, String separator) throws IOException {
    if (!Files.isReadable(file)) {
      return UNKNOWN;
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .map(line -> List.of(line.split(separator, 2)))
          .filter(pair -> pair.size() == 2 && pair.get(0).strip().equals(name))
          .map(pair -> pair.get(1).strip())
          .findFirst()
          .orElse(UNKNOWN);
    }
  }

  /** Of a line such as "24682112 kB". */
  private static long memoryMb(String text) {
    return text.matches("\\d+ kB") ? Long.parseLong(text.split(" ", 2)[0]) * 1_024 / 1_000_000 : 0;
  }

  private static String disk(FileStore store) throws IOException {
    return "%s, %s, %,d MB free of %,d"
        .formatted(
            store.name(),
            store.type(),
            store.getUsableSpace() / 1_000_000,
            store.getTotalSpace() / 1_000_000);
  }
}

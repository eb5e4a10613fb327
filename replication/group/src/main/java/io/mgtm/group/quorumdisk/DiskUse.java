package io.mgtm.group.quorumdisk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a kernel uses a disk or file for already. */
record DiskUse(Path proc, Path sys) {
  static final DiskUse OF_THIS_MACHINE = new DiskUse(Path.of("/proc"), Path.of("/sys"));

  /** A part of a sentence; empty when it is not used. */
  Optional<String> of(Path disk) throws IOException {
    String real = disk.toRealPath().toString();
    for (String table : List.of("self/mounts", "swaps")) {
      for (String line : linesOf(proc.resolve(table))) {
        if (line.startsWith(real + " ")) {
          return Optional.of("%s has it: %s".formatted(proc.resolve(table), line));
        }
      }
    }
    Optional<Path> holder =
        in(sys.resolve("class/block").resolve(disk.toRealPath().getFileName()).resolve("holders"))
            .stream()
            .findFirst();
    return holder.isPresent()
        ? holder.map(by -> "%s is made of it".formatted(by.getFileName()))
        : loop(real);
  }

  private Optional<String> loop(String file) throws IOException {
    for (Path device : in(sys.resolve("block"))) {
      if (linesOf(device.resolve("loop/backing_file")).contains(file)) {
        return Optional.of("/dev/%s is made of it".formatted(device.getFileName()));
      }
    }
    return Optional.empty();
  }

  private static List<String> linesOf(Path file) throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private static List<Path> in(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }
}

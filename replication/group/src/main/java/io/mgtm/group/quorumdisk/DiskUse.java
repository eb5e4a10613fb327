package io.mgtm.group.quorumdisk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a kernel uses a device or file for already: mounts in whatever namespace a process has,
 * swap, loop devices, and what a volume group or an array is made of. Devices are compared by their
 * numbers and files by their inodes, since each may have many names; a device counts as used when a
 * partition of it is, or the disk that it is a partition of.
 */
record DiskUse(Path proc, Path sys) {
  static final DiskUse OF_THIS_MACHINE = new DiskUse(Path.of("/proc"), Path.of("/sys"));

  private static final int MINOR_LOW_BITS = 8;

  /** A part of a sentence; empty when it is not used. */
  Optional<String> of(Path disk, boolean isDevice) throws IOException {
    return isDevice ? ofDevice(numbers(disk)) : ofFile(disk);
  }

  /** As Linux packs them: twelve bits of the major number around the lower eight of the minor. */
  private static String numbers(Path device) throws IOException {
    long packed = ((Number) Files.getAttribute(device, "unix:rdev")).longValue();
    long major = (packed >>> MINOR_LOW_BITS) & 0xfff;
    long minor = (packed & 0xff) | ((packed >>> 12) & 0xfff00);
    return "%d:%d".formatted(major, minor);
  }

  /**
   * Of a device.
   *
   * @param numbers as MAJOR:MINOR
   */
  Optional<String> ofDevice(String numbers) throws IOException {
    Path folder = sys.resolve("dev/block").resolve(numbers);
    Set<Path> related = new LinkedHashSet<>(List.of(folder));
    if (Files.exists(folder)) {
      Path real = folder.toRealPath();
      related.addAll(in(real).stream().filter(DiskUse::isPartition).toList());
      if (isPartition(real)) {
        related.add(real.getParent());
      }
    }
    Set<String> devices = new LinkedHashSet<>(List.of(numbers));
    for (Path each : related) {
      devices.addAll(linesOf(each.resolve("dev")));
      for (Path holder : in(each.resolve("holders"))) {
        return Optional.of("%s is made of it".formatted(holder.getFileName()));
      }
    }
    Optional<String> mounted = mounted(devices);
    return mounted.isPresent() ? mounted : swap(devices);
  }

  private static boolean isPartition(Path device) {
    return Files.exists(device.resolve("partition"));
  }

  private Optional<String> mounted(Set<String> devices) throws IOException {
    Set<String> namespaces = new LinkedHashSet<>();
    for (Path process : in(proc)) {
      if (process.getFileName().toString().matches("\\d+") && namespaces.add(namespace(process))) {
        for (String line : linesOf(process.resolve("mountinfo"))) {
          String[] words = line.split(" ", -1);
          if (words.length > 4 && devices.contains(words[2])) {
            return Optional.of(
                "process %s has it mounted on %s".formatted(process.getFileName(), words[4]));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** One that must not be looked at is one of its own, and has nothing to be read. */
  private static String namespace(Path process) {
    try {
      return Files.readSymbolicLink(process.resolve("ns/mnt")).toString();
    } catch (IOException e) {
      return process.toString();
    }
  }

  private Optional<String> swap(Set<String> devices) throws IOException {
    for (Path used : swaps()) {
      if (devices.contains(numbers(used))) {
        return Optional.of("it is swap");
      }
    }
    return Optional.empty();
  }

  private List<Path> swaps() throws IOException {
    return linesOf(proc.resolve("swaps")).stream()
        .map(line -> Path.of(line.split("\\s", 2)[0]))
        .filter(path -> path.isAbsolute() && Files.exists(path))
        .toList();
  }

  /** Of a file. */
  Optional<String> ofFile(Path file) throws IOException {
    for (Path device : in(sys.resolve("block"))) {
      for (String backing : linesOf(device.resolve("loop/backing_file"))) {
        if (isSame(Path.of(backing), file)) {
          return Optional.of("/dev/%s is made of it".formatted(device.getFileName()));
        }
      }
    }
    for (Path used : swaps()) {
      if (isSame(used, file)) {
        return Optional.of("it is swap");
      }
    }
    return Optional.empty();
  }

  private static boolean isSame(Path one, Path other) throws IOException {
    return Files.exists(one) && inode(one).equals(inode(other));
  }

  private static Object inode(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /** Processes and devices come and go. */
  private static List<String> linesOf(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }

  private static List<Path> in(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.sorted().toList();
    }
  }
}

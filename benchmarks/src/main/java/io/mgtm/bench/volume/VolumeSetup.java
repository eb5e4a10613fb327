package io.mgtm.bench.volume;

import io.mgtm.local.JavaCommand;
import io.mgtm.local.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Folders of a measurement, on disk and in memory, and what runs there; deleted at its end.
 *
 * @param folder on disk
 * @param memory in memory
 */
record VolumeSetup(Path folder, Path memory, Programs programs, Fio fio) implements AutoCloseable {
  /**
   * New folders.
   *
   * @param parent of the one on disk; null for the system's temporary folder
   * @param size of the volumes, such as 1G
   * @param seconds of each run of fio
   * @param javaOptions for the volumes' JVMs
   * @throws IOException when they cannot be made, or the volume's program is not built
   */
  static VolumeSetup make(Path parent, String size, double seconds, List<String> javaOptions)
      throws IOException {
    Path jar = JavaCommand.jar("mgtm.volumeJar", "mgtm-volume.jar");
    Path folder =
        parent == null
            ? Files.createTempDirectory("mgtm-bench")
            : Files.createTempDirectory(parent, "mgtm-bench");
    Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "mgtm-bench");
    return new VolumeSetup(
        folder,
        memory,
        new Programs(folder, jar, size, javaOptions),
        new Fio(folder, size, seconds));
  }

  @Override
  public void close() throws IOException {
    Trees.delete(folder);
    Trees.delete(memory);
  }
}

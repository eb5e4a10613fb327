package io.mgtm.block.it;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** File systems on volumes: nbdfuse, a loop device, ext4. Needs root. */
final class Mounts {
  private final Path folder;
  private final List<String[]> undo = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  Mounts(Path folder) {
    this.folder = folder;
  }

  /** Skips the test, and says why, where this cannot work. */
  void need() throws IOException, InterruptedException {
    Tools.need("nbdfuse", "fusermount3", "losetup", "mkfs.ext4", "e2fsck");
    Assumptions.assumeTrue(
        Files.exists(Path.of("/dev/fuse")) && Files.exists(Path.of("/dev/loop-control")),
        "SKIPPED: /dev/fuse or loop devices are missing");
    Assumptions.assumeTrue(
        "0".equals(Tools.run(folder, "id", "-u").output().strip()), "SKIPPED: mounting needs root");
  }

  /** Mounts the volume's file system, which is made first when {@code format}. */
  Path mount(VolumeProcess volume, boolean format) throws Exception {
    Path fuse = Files.createDirectories(volume.folder.resolve("fuse"));
    Path mounted = Files.createDirectories(volume.folder.resolve("mounted"));
    Process nbdfuse =
        new ProcessBuilder("nbdfuse", fuse.resolve("disk").toString(), volume.uri())
            .redirectErrorStream(true)
            .redirectOutput(volume.folder.resolve("nbdfuse.log").toFile())
            .start();
    processes.add(nbdfuse);
    undo.add(new String[] {"fusermount3", "-u", "-z", fuse.toString()});
    Path disk = fuse.resolve("disk");
    Await.until("nbdfuse serves", () -> Files.exists(disk));
    String loop =
        Tools.run(folder, "losetup", "-f", "--show", disk.toString()).succeeded().output().strip();
    undo.add(new String[] {"losetup", "-d", loop});
    if (format) {
      Tools.run(folder, "mkfs.ext4", "-q", loop).succeeded();
    }
    Tools.run(folder, "mount", loop, mounted.toString()).succeeded();
    undo.add(new String[] {"umount", "-l", mounted.toString()});
    return mounted;
  }

  /** Unmounts what was mounted last, in order: all of it is on its volume then. */
  void unmount() throws Exception {
    String[] lazy = undo.get(undo.size() - 1);
    Tools.run(folder, "umount", lazy[lazy.length - 1]).succeeded();
    undo.remove(undo.size() - 1);
    release();
  }

  /** Unmounts everything, also what its volume was killed under; some of it may not be written. */
  void release() throws Exception {
    for (int i = undo.size() - 1; i >= 0; i--) {
      Tools.run(folder, undo.get(i));
    }
    undo.clear();
    for (Process process : processes) {
      process.destroy();
      process.waitFor(180, TimeUnit.SECONDS);
    }
    processes.clear();
  }
}

package io.mgtm.block.it;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * A disk on dm-log-writes, which notes what is written to it and when it is flushed. The kernel
 * lab's kernel has that.
 */
final class LoggedDisk implements CutDisk {
  private static final String SIZE = "24M";

  /** The image and the log are sparse files. */
  private static final String LOG_SIZE = "2G";

  private final Path folder;
  private final String name;
  private final Path durable;
  private String devices = "";

  /** Makes the disk and its file system, and mounts it at {@link #mounted}. */
  LoggedDisk(Path parent, String name) throws Exception {
    this.folder = Files.createDirectories(parent.resolve("cut-" + name));
    this.name = "mgtm-" + name;
    this.durable = folder.resolve("durable");
    Files.createDirectories(mounted());
    run(
        "truncate -s %s durable && mkfs.ext4 -q -J size=4 -E lazy_itable_init=0 durable"
            .formatted(SIZE));
    on();
  }

  /** Whether this kernel has such disks. */
  static boolean isThere(Path folder) throws Exception {
    return Tools.has("dmsetup")
        && Tools.run(folder, "dmsetup", "targets").output().contains("log-writes");
  }

  @Override
  public Path mounted() {
    return folder.resolve("mounted");
  }

  private String run(String script) throws Exception {
    String whole = "set -e; export DM_DISABLE_UDEV=1; " + script;
    return Tools.run(folder, "bash", "-c", whole).succeeded().output().strip();
  }

  @Override
  public void on() throws Exception {
    Files.deleteIfExists(folder.resolve("log"));
    Files.deleteIfExists(folder.resolve("image"));
    devices =
        run(
            ("cp --sparse=always durable image; truncate -s %1$s log;"
                    + " image=$(losetup -f --show image); log=$(losetup -f --show log);"
                    + " sectors=$(blockdev --getsz $image);"
                    + " dmsetup create %2$s --table \"0 $sectors log-writes $image $log\";"
                    + " mount /dev/mapper/%2$s mounted;"
                    + " dmsetup load %2$s --table \"0 $sectors error\";"
                    + " echo $image $log")
                .formatted(LOG_SIZE, name));
  }

  @Override
  public void freeze() throws Exception {
    run("dmsetup suspend --noflush --nolockfs " + name);
  }

  @Override
  public void fail() throws Exception {
    run("dmsetup resume " + name);
  }

  @Override
  public String lose(Random random) throws Exception {
    run("umount -l mounted; dmsetup remove --retry %s; losetup -d %s".formatted(name, devices));
    devices = "";
    return new WriteLog(folder.resolve("log")).replay(durable, random);
  }

  @Override
  public void close() throws Exception {
    if (!devices.isEmpty()) {
      Tools.run(
          folder,
          "bash",
          "-c",
          "dmsetup resume %1$s; umount -l mounted; dmsetup remove --retry %1$s; losetup -d %2$s"
              .formatted(name, devices));
    }
  }
}

package io.mgtm.block.it;

import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** A disk that the test's own process serves by NBD: nbdfuse, a loop device, ext4. Needs root. */
final class ServedDisk implements CutDisk {
  private static final String SIZE = "24M";

  private final Path folder;
  private final DiskServer server;
  private Process nbdfuse;
  private String loop = "";

  /** Makes the disk and its file system, and mounts it at {@link #mounted}. */
  ServedDisk(Path parent, String name) throws Exception {
    folder = Files.createDirectories(parent.resolve("cut-" + name));
    Files.createDirectories(mounted());
    Files.createDirectories(folder.resolve("fuse"));
    run("truncate -s " + SIZE + " new && mkfs.ext4 -q -J size=4 -E lazy_itable_init=0 new");
    server = new DiskServer(folder.resolve("socket"), Files.readAllBytes(folder.resolve("new")));
    on();
  }

  DiskServer server() {
    return server;
  }

  @Override
  public Path mounted() {
    return folder.resolve("mounted");
  }

  private String run(String script) throws Exception {
    return Tools.run(folder, "bash", "-c", "set -e; " + script).succeeded().output().strip();
  }

  @Override
  public void on() throws Exception {
    server.on();
    Path disk = folder.resolve("fuse").resolve("disk");
    nbdfuse =
        new ProcessBuilder(
                "nbdfuse", disk.toString(), "nbd+unix:///?socket=" + folder.resolve("socket"))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("nbdfuse.log").toFile())
            .start();
    Await.until("nbdfuse serves", () -> Files.exists(disk));
    loop = run("losetup -f --show fuse/disk");
    run("mount " + loop + " mounted");
  }

  @Override
  public void freeze() {
    server.freeze();
  }

  @Override
  public void fail() {
    server.fail();
  }

  private void release() throws Exception {
    String script = "umount -l mounted; losetup -d %s; fusermount3 -u -z fuse".formatted(loop);
    Tools.run(folder, "bash", "-c", script);
    loop = "";
    // It would not end by itself while a process that has made mounts of its own meanwhile, as
    // other tests do, has these among them.
    nbdfuse.destroyForcibly().waitFor();
  }

  @Override
  public String lose(Random random) throws Exception {
    release();
    return server.lose(random);
  }

  @Override
  public void close() throws Exception {
    if (!loop.isEmpty()) {
      server.fail();
      release();
    }
    server.close();
  }
}

package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ext4 on a real NBD export, by nbdfuse and a loop device. */
class FilesystemKitIT {
  @TempDir Path folder;
  private final FilesystemKit kit = new FilesystemKit();
  private final Map<String, String> parameters = new HashMap<>();
  private Rig rig;
  private Path mount;
  private Path image;
  private Daemon nbdServer;
  private KitContext context;

  @BeforeEach
  void serve() throws Exception {
    Rig.need("nbdfuse", "fusermount3", "nbdkit", "losetup", "mkfs.ext4", "mount");
    Rig.needThat(
        Files.exists(Path.of("/dev/fuse")) && Files.exists(Path.of("/dev/loop-control")),
        "/dev/fuse or loop devices are missing");
    rig = new Rig(folder);
    image = folder.resolve("image");
    Rig.run("truncate", "-s", "32M", image.toString());
    Rig.run("mkfs.ext4", "-q", image.toString());
    Path socket = folder.resolve("nbd.sock");
    nbdServer = new Daemon(rig.context("server", Map.of()));
    Files.createDirectories(folder.resolve("runtime/server"));
    nbdServer.start(
        List.of("nbdkit", "-f", "-U", socket.toString(), "file", image.toString()), Map.of());
    Await.until("nbdkit listens; " + nbdServer.said(), () -> Files.exists(socket));
    mount = folder.resolve("mnt");
    parameters.put("mount", mount.toString());
    parameters.put("nbd", "nbd+unix:///?socket=" + socket);
    parameters.put("attach", "fuse");
    context = rig.context("fs", parameters);
  }

  @AfterEach
  void end() throws Exception {
    if (context != null) {
      kit.outOfService(context);
      nbdServer.stop(Deadline.in(120_000));
      Rig.removeGroup(context);
      Rig.removeGroup(rig.context("server", Map.of()));
    }
  }

  @Test
  void isMountedCheckedAndUnmounted() throws Exception {
    Rig.assertOut(kit.quickCheck(context));

    kit.inService(context);
    Rig.assertIn(kit.quickCheck(context));
    Kit.Health deep = kit.deepCheck(context);
    Rig.assertIn(deep);
    assertThat(deep.detail()).contains("wrote a block");
    kit.inService(context);
    Files.writeString(mount.resolve("kept"), "this");

    kit.outOfService(context);
    Rig.assertOut(kit.quickCheck(context));
    assertThat(mount.resolve("kept")).doesNotExist();
    kit.outOfService(context);

    kit.inService(context);
    assertThat(mount.resolve("kept")).hasContent("this");
  }

  @Test
  void orderlyUnmountLeavesAWholeFileSystem() throws Exception {
    kit.inService(context);
    Rig.shell("head -c 4000000 /dev/urandom >" + mount + "/data");
    kit.outOfService(context);

    Rig.run("e2fsck", "-fn", image.toString());
  }

  @Test
  void processesThatUseItAreEnded() throws Exception {
    kit.inService(context);
    Programs.run(
            Program.shell(
                Deadline.in(60_000),
                "trap '' TERM; sleep 1000 <\"$1\" >/dev/null 2>&1 &",
                Files.writeString(mount.resolve("open"), "x").toString()))
        .succeeded();
    Await.until("it is used", () -> Processes.all().stream().anyMatch(one -> one.uses(mount)));

    kit.outOfService(rig.context("fs", 20_000, parameters));

    Rig.assertOut(kit.quickCheck(context));
    assertThat(Processes.all()).noneMatch(one -> one.uses(mount));
  }

  @Test
  void deadNbdClientIsAFailureAndIsReplaced() throws Exception {
    kit.inService(context);
    new Daemon(context).kill(Deadline.in(60_000));

    Kit.Health health = kit.quickCheck(context);
    Rig.assertFailed(health);
    assertThat(health.detail()).contains("nbdfuse has ended");
    kit.localRecover(context);

    Rig.assertIn(kit.deepCheck(context));
  }

  @Test
  void guardLeavesNothing() throws Exception {
    kit.inService(context);
    String device = kit.quickCheck(context).detail().replaceFirst("/dev/(\\w+) on .*", "$1");
    assertThat(Path.of("/sys/block", device, "loop/autoclear")).hasContent("1");
    Files.writeString(mount.resolve("open"), "x");

    Rig.guard(kit, context);

    Rig.assertOut(kit.quickCheck(context));
    assertThat(new Daemon(context).isRunning()).isFalse();
    kit.inService(context);
    Rig.assertIn(kit.deepCheck(context));
  }

  @Test
  void whatIsNoFileSystemIsNotMounted() throws Exception {
    Rig.run("dd", "if=/dev/zero", "of=" + image, "bs=1M", "count=1", "conv=notrunc");

    assertThatThrownBy(() -> kit.inService(context))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("could not be mounted on " + mount)
        .hasMessageContaining("fsck by hand");
  }

  @Test
  void kernelsClientIsUsedWhereThereIsOne() throws Exception {
    Rig.needThat(
        Files.isDirectory(Path.of("/sys/block/nbd0")), "the kernel has no NBD client (/dev/nbd0)");
    parameters.put("attach", "kernel");
    KitContext kernel = rig.context("kernel", parameters);
    kit.inService(kernel);
    Rig.assertIn(kit.deepCheck(kernel));
    kit.outOfService(kernel);
    Rig.assertOut(kit.quickCheck(kernel));
  }
}

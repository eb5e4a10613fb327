package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ext4 on the kernel's NBD client, and its fsck after the primary died under load. */
class KernelNbdIT {

  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;

  @AfterEach
  void close() throws Exception {
    if (left != null) {
      run("umount -l mnt; nbd-client -d /dev/nbd0; nbd-client -d /dev/nbd1; true");
      left.close();
      right.close();
    }
  }

  private Tools.Result run(String script) throws Exception {
    return Tools.run(folder, "bash", "-c", script);
  }

  private VolumeProcess volume(String name) throws Exception {
    return new VolumeProcess(folder, name, OwnAddress.port())
        .listening()
        .with("--size", "64M", "--path-timeout-ms", "20000", "--peer-wait-ms", "1000");
  }

  private void connect(VolumeProcess volume, String device) throws Exception {
    run("nbd-client -unix " + volume.socket() + " " + device + " -name " + VolumeProcess.VOLUME)
        .succeeded();
  }

  @Test
  void aFileSystemOnTheKernelsClientSurvivesThePrimary() throws Exception {
    Tools.need("nbd-client", "mkfs.ext4", "e2fsck");
    boolean kernel = Files.exists(Path.of("/dev/nbd0"));
    if (!kernel) {
      System.out.println("SKIPPED: this kernel has no NBD client (modprobe nbd)");
    }
    Assumptions.assumeTrue(kernel, "this kernel has no NBD client (modprobe nbd)");
    right = volume("right").receiving();
    left = volume("left").replica(right, "sync");
    right.start();
    left.start();
    left.awaitUpToDate();
    connect(left, "/dev/nbd0");
    run("mkfs.ext4 -q /dev/nbd0 && mkdir mnt && mount /dev/nbd0 mnt").succeeded();
    run("for i in 1 2 3 4 5 6; do head -c 700000 /dev/urandom > mnt/f$i; done; sync -f mnt;"
            + " (cd mnt && sha256sum f*) > sums")
        .succeeded();
    // Unsynchronized work is under way when the primary dies.
    Process busy =
        new ProcessBuilder("bash", "-c", "while true; do cp mnt/f1 mnt/g$RANDOM; sync -f mnt; done")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Await.until(
        "the work has begun", () -> run("ls mnt | grep -c g").output().strip().compareTo("0") > 0);
    left.kill();
    busy.destroyForcibly().waitFor();
    // First the client, which ends what is under way: the file system would wait for that.
    run("nbd-client -d /dev/nbd0; umount -l mnt; true").succeeded();
    Await.until("the source is gone", () -> right.status().path("upstream").isNull());
    assertThat(right.ask("promote", "force", true).path("ok").asBoolean()).isTrue();
    connect(right, "/dev/nbd1");
    run("mount /dev/nbd1 mnt && (cd mnt && sha256sum -c ../sums)").succeeded();
    run("umount mnt && e2fsck -fn /dev/nbd1").succeeded();
  }
}

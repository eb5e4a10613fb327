package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Others' NBD clients against a real agent. */
class OtherClientsIT {
  private static final int SIZE = 64 << 20;

  @TempDir static Path folder;
  private static VolumeProcess volume;

  @BeforeAll
  static void start() throws Exception {
    volume = new VolumeProcess(folder, "v1", 0).listening().with("--size", "64M").start();
  }

  @AfterAll
  static void stop() throws Exception {
    volume.close();
  }

  @Test
  void nbdinfoReportsEverythingThatTheFilePluginCan() throws Exception {
    Tools.need("nbdinfo");
    String info = Tools.run(folder, "nbdinfo", volume.uri()).succeeded().output();
    for (String can :
        new String[] {"cache", "df", "fast_zero", "flush", "fua", "multi_conn", "trim", "zero"}) {
      assertThat(info).contains("can_" + can + ": true");
    }
    assertThat(info)
        .contains("base:allocation")
        .contains("is_read_only: false")
        .contains("export-size: " + SIZE);
    assertThat(
            Tools.run(folder, "nbdinfo", "--list", "nbd+unix:///?socket=" + volume.socket())
                .output())
        .contains("export=\"v1\"");
    assertThat(Tools.run(folder, "nbdinfo", volume.uri() + "x").code()).isNotZero();
  }

  @Test
  void nbdcopyThereAndBackIsTheSame() throws Exception {
    Tools.need("nbdcopy");
    byte[] bytes = new byte[SIZE];
    new Random(4).nextBytes(bytes);
    java.util.Arrays.fill(bytes, 10 << 20, 20 << 20, (byte) 0);
    Path source = Files.write(folder.resolve("source"), bytes);
    Path back = folder.resolve("back");
    Tools.run(folder, "nbdcopy", source.toString(), volume.uri()).succeeded();
    Tools.run(folder, "nbdcopy", volume.uri(), back.toString()).succeeded();
    assertThat(Files.mismatch(source, back)).isEqualTo(-1);
    Tools.run(folder, "nbdcopy", "--flush", source.toString(), volume.uri()).succeeded();
    assertThat(Files.mismatch(source, volume.file()))
        .as("the backing file holds the bytes and nothing else")
        .isEqualTo(-1);
  }

  @Test
  void qemuReadsWhatItWrote() throws Exception {
    Tools.need("qemu-io", "qemu-img");
    String output =
        Tools.run(
                folder,
                "qemu-io",
                "-f",
                "raw",
                "-c",
                "write -P 17 4096 1M",
                "-c",
                "write -f -P 18 2M 64k",
                "-c",
                "write -z 8k 4k",
                "-c",
                "read -P 17 4096 4096",
                "-c",
                "read -P 0 8k 4k",
                "-c",
                "read -P 18 2M 64k",
                "-c",
                "discard 2M 64k",
                "-c",
                "read -P 0 2M 64k",
                "-c",
                "flush",
                volume.uri())
            .succeeded()
            .output();
    assertThat(output).doesNotContain("verification failed");
    Path raw = folder.resolve("raw");
    Tools.run(folder, "qemu-img", "convert", "-f", "raw", "-O", "raw", volume.uri(), raw.toString())
        .succeeded();
    Tools.run(folder, "qemu-img", "compare", "-f", "raw", "-F", "raw", volume.uri(), raw.toString())
        .succeeded();
  }

  @Test
  void fioFindsNoWrongChecksum() throws Exception {
    Tools.need("fio");
    Tools.run(
            folder,
            "fio",
            "--name=v",
            "--ioengine=nbd",
            "--uri=" + volume.uri(),
            "--rw=randwrite",
            "--bsrange=512-64k",
            "--bs_unaligned=0",
            "--iodepth=16",
            "--size=32M",
            "--verify=crc32c",
            "--do_verify=1",
            "--verify_fatal=1",
            "--fsync=64",
            "--output-format=terse")
        .succeeded();
  }

  @Test
  void severalConnectionsSeeEachOthersWrites() throws Exception {
    try (NbdClient one = new NbdClient(volume.socket(), "v1");
        NbdClient two = new NbdClient(volume.socket(), "")) {
      byte[] data = "across connections".getBytes(java.nio.charset.StandardCharsets.UTF_8);
      assertThat(one.write(12_345, data, false)).isZero();
      assertThat(two.flush()).isZero();
      assertThat(two.read(12_345, data.length)).isEqualTo(data);
      assertThat(one.write(SIZE - 4, data, false)).as("past the end").isEqualTo(28);
      assertThat(two.read(12_345, 4)).as("service goes on").hasSize(4);
    }
  }
}

package io.mgtm.group.quorumdisk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskUseTest {
  @TempDir private Path folder;
  private Path disk;
  private DiskUse use;

  @BeforeEach
  void makeKernel() throws IOException {
    disk = Files.createFile(folder.resolve("sdb1")).toRealPath();
    use = new DiskUse(folder.resolve("proc"), folder.resolve("sys"));
    write("proc/self/mounts", "/dev/sda1 / ext4 rw 0 0\n");
    write("proc/swaps", "Filename Type Size Used Priority\n");
    write("sys/block/loop0/loop/backing_file", folder.resolve("other") + "\n");
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  @Test
  void isNoneOfWhatNobodyUses() throws IOException {
    assertThat(use.of(disk)).isEmpty();
  }

  @Test
  void isThatOfAMount() throws IOException {
    write("proc/self/mounts", disk + " /srv ext4 rw 0 0\n");
    assertThat(use.of(Files.createSymbolicLink(folder.resolve("by-id"), disk)))
        .hasValueSatisfying(why -> assertThat(why).contains(" /srv ext4"));
  }

  @Test
  void isThatOfSwap() throws IOException {
    write("proc/swaps", disk + " partition 1 0 -2\n");
    assertThat(use.of(disk)).isPresent();
  }

  @Test
  void isThatOfAVolumeGroup() throws IOException {
    write("sys/class/block/sdb1/holders/dm-0", "");
    assertThat(use.of(disk)).hasValue("dm-0 is made of it");
  }

  @Test
  void isThatOfALoopDevice() throws IOException {
    write("sys/block/loop3/loop/backing_file", disk + "\n");
    assertThat(use.of(disk)).hasValue("/dev/loop3 is made of it");
  }
}

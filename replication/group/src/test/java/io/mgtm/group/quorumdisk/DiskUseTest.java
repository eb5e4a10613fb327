package io.mgtm.group.quorumdisk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk 8:16 with a partition 8:17, and a file, beside what a kernel tells. */
class DiskUseTest {
  @TempDir private Path folder;
  private Path file;
  private DiskUse use;

  @BeforeEach
  void makeKernel() throws IOException {
    file = Files.createFile(folder.resolve("file"));
    use = new DiskUse(folder.resolve("proc"), folder.resolve("sys"));
    write("sys/devices/sdb/dev", "8:16\n");
    write("sys/devices/sdb/sdb1/dev", "8:17\n");
    write("sys/devices/sdb/sdb1/partition", "1\n");
    Path numbers = Files.createDirectories(folder.resolve("sys/dev/block"));
    Files.createSymbolicLink(numbers.resolve("8:16"), folder.resolve("sys/devices/sdb"));
    Files.createSymbolicLink(numbers.resolve("8:17"), folder.resolve("sys/devices/sdb/sdb1"));
    write("sys/block/loop0/loop/backing_file", Files.createFile(folder.resolve("other")) + "\n");
    write("proc/7/mountinfo", "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n");
    write("proc/swaps", "Filename Type Size Used Priority\n");
  }

  private void write(String name, String text) throws IOException {
    Path to = folder.resolve(name);
    Files.createDirectories(to.getParent());
    Files.writeString(to, text);
  }

  private void assertUsed(String why) throws IOException {
    assertThat(use.ofDevice("8:16")).hasValue(why);
    assertThat(use.ofDevice("8:17")).hasValue(why);
    assertThat(use.ofDevice("8:32")).isEmpty();
  }

  @Test
  void isNoneOfWhatNobodyUses() throws IOException {
    assertThat(use.ofDevice("8:16")).isEmpty();
    assertThat(use.ofFile(file)).isEmpty();
  }

  @Test
  void isAMountInAnyNamespaceByAnyName() throws IOException {
    write("proc/9/mountinfo", "33 1 8:17 / /srv rw - ext4 /dev/mapper/x rw\n");
    assertUsed("process 9 has it mounted on /srv");
  }

  @Test
  void isAMountOfTheWholeDisk() throws IOException {
    write("proc/9/mountinfo", "33 1 8:16 / /srv rw - ext4 /dev/sdb rw\n");
    assertUsed("process 9 has it mounted on /srv");
  }

  @Test
  void isAVolumeGroup() throws IOException {
    write("sys/devices/sdb/sdb1/holders/dm-0", "");
    assertUsed("dm-0 is made of it");
  }

  @Test
  void isALoopDeviceOfAFileByAnyName() throws IOException {
    Path link = Files.createLink(folder.resolve("link"), file);
    write("sys/block/loop3/loop/backing_file", link + "\n");
    assertThat(use.ofFile(file)).hasValue("/dev/loop3 is made of it");
  }

  @Test
  void isSwap() throws IOException {
    write("proc/swaps", "Filename Type\n%s file 1 0 -2\n".formatted(file));
    assertThat(use.ofFile(file)).hasValue("it is swap");
  }

  /** The numbers of a real device, whichever this machine has. */
  @Test
  void readsTheNumbersOfDevices() throws IOException {
    Path real = Path.of("/dev/null");
    write("proc/9/mountinfo", "33 1 1:3 / /srv rw - ext4 x rw\n");
    assertThat(use.of(real, true)).hasValue("process 9 has it mounted on /srv");
  }
}

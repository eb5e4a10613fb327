package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class VoteFileTest {
  private static final String NAME = "votes";
  private static final long MAGIC = 0x4D47544D54455354L;
  private static final int VERSION = 3;

  private final SimulatedDisk disk = new SimulatedDisk(new Random(1));

  private VoteFile open() {
    return new VoteFile(disk, NAME, MAGIC, VERSION);
  }

  private static ByteBuffer bytes(String note) {
    return ByteBuffer.wrap(note.getBytes(UTF_8));
  }

  /** Longer than what a disk writes as a whole. */
  private static ByteBuffer longNote(int number) {
    return ByteBuffer.allocate(1_500).putInt(number).putInt(1_400, number).position(0);
  }

  private String read() {
    return UTF_8.decode(open().read(0).content()).toString();
  }

  @Test
  void lastNoteCounts() {
    VoteFile file = open();
    assertThat(file.exists()).isFalse();
    for (int i = 1; i <= 5; i++) {
      file.write(bytes("note " + i));
      assertThat(read()).isEqualTo("note " + i);
    }
    open().write(bytes("another process's, and longer"));
    assertThat(read()).isEqualTo("another process's, and longer");
    open().write(bytes("x"));
    assertThat(read()).isEqualTo("x");
  }

  @Test
  void noteThatWasStoredSurvivesAPowerCutAtAnyMoment() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      SimulatedDisk dying = new SimulatedDisk(random);
      int stored = 0;
      int begun = 0;
      for (int life = 0; life < 6; life++) {
        dying.crashAfter(random.nextInt(14));
        try {
          VoteFile file = new VoteFile(dying, NAME, MAGIC, VERSION);
          while (true) {
            begun++;
            file.write(longNote(begun));
            stored = begun;
            if (random.nextInt(3) == 0) {
              dying.writeBackSome();
            }
          }
        } catch (SimulatedCrash e) {
          if (random.nextBoolean()) {
            dying.losePower();
          } else {
            dying.restartProcess();
          }
        }
        VoteFile found = new VoteFile(dying, NAME, MAGIC, VERSION);
        int last = 0;
        if (found.exists()) {
          last = found.read(1).content().getInt();
        }
        assertThat(last).as("seed %d, life %d", seed, life).isBetween(stored, begun);
      }
    }
  }

  @Test
  void rotOfOneSlotCostsNothingAndIsMended() {
    open().write(bytes("first"));
    open().write(bytes("second"));
    byte[] good = disk.read(NAME);
    for (int slot = 0; slot < 2; slot++) {
      byte[] rotten = good.clone();
      rotten[slot * good.length / 2 + 30] ^= 4;
      disk.write(NAME, rotten);
      assertThat(read()).isEqualTo("second");
      open().write(bytes("second"));
      int half = good.length / 2;
      byte[] otherGone = disk.read(NAME);
      Arrays.fill(otherGone, (1 - slot) * half, (2 - slot) * half, (byte) 0);
      disk.write(NAME, otherGone);
      assertThat(read()).as("the slot that had rotted").isEqualTo("second");
      disk.write(NAME, good);
    }
  }

  @Test
  void fileWithoutAReadableSlotIsRefused() {
    open().write(bytes("a note"));
    byte[] rotten = disk.read(NAME);
    rotten[30] ^= 4;
    rotten[rotten.length / 2 + 30] ^= 4;
    disk.write(NAME, rotten);
    assertThatThrownBy(() -> open().read(0))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("votes is damaged, and without it this member could vote twice");
    disk.write(NAME, Arrays.copyOf(rotten, 100));
    assertThatThrownBy(() -> open().read(0)).hasMessageContaining("damaged");
  }

  @Test
  void noteThatIsTooShortIsDamage() {
    open().write(bytes("1234"));
    assertThat(open().read(4).content().remaining()).isEqualTo(4);
    assertThatThrownBy(() -> open().read(5)).hasMessageContaining("damaged");
  }

  @Test
  void noteOfANewerVersionIsRefused() {
    new VoteFile(disk, NAME, MAGIC, VERSION + 1).write(bytes("from the future"));
    assertThatThrownBy(() -> open().read(0))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("has version 4 and this program reads 1 to 3");
  }

  @Test
  void fileThatAnEarlierVersionReplacedAsAWholeIsReadAndGetsSlots() {
    ByteBuffer whole = ByteBuffer.allocate(12 + 5 + 4).putLong(MAGIC).putInt(2).put(bytes("older"));
    CRC32C crc = new CRC32C();
    crc.update(whole.duplicate().flip());
    disk.write(NAME, whole.putInt((int) crc.getValue()).array());
    VoteFile file = open();
    VoteFile.Note note = file.read(5);
    assertThat(note.version()).isEqualTo(2);
    assertThat(UTF_8.decode(note.content()).toString()).isEqualTo("older");
    file.write(bytes("newer"));
    disk.losePower();
    assertThat(read()).isEqualTo("newer");
    assertThat(open().read(0).version()).isEqualTo(VERSION);
  }
}

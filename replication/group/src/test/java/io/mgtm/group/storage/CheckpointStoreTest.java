package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.StatePicture;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(QuietLog.class)
class CheckpointStoreTest {
  private static final UUID MEMBER = new UUID(3, 4);

  private final SimulatedDisk disk = new SimulatedDisk(new Random(1));

  private static String name(long index, long term) {
    return "checkpoint-%019d-%019d".formatted(index, term);
  }

  private CheckpointStore reopened() {
    return new CheckpointStore(disk, MEMBER);
  }

  private void save(long... indexes) {
    CheckpointStore store = reopened();
    for (long index : indexes) {
      store.save(index, 2, StatePicture.of(("state " + index).getBytes(UTF_8)));
    }
  }

  private static String text(CheckpointFile checkpoint) {
    return UTF_8.decode(checkpoint.content().rest()).toString();
  }

  @Test
  void anEmptyFolderHasNone() {
    assertThat(reopened().newestIndex()).isZero();
    assertThat(reopened().load(1)).isEmpty();
  }

  @Test
  void theNewestIsLoadedAndTwoAreKept() {
    save(10, 20, 30);
    assertThat(disk.list()).containsExactlyInAnyOrder(name(20, 2), name(30, 2));
    CheckpointStore store = reopened();
    assertThat(store.newestIndex()).isEqualTo(30);
    assertThat(store.load(25))
        .hasValueSatisfying(
            checkpoint -> {
              assertThat(checkpoint.index()).isEqualTo(30);
              assertThat(checkpoint.term()).isEqualTo(2);
              assertThat(text(checkpoint)).isEqualTo("state 30");
            });
  }

  @Test
  void whatWasSavedSurvivesTheLossOfPower() {
    save(10, 20);
    disk.losePower();
    assertThat(reopened().load(1)).map(CheckpointStoreTest::text).hasValue("state 20");
  }

  @Test
  void aDamagedOneIsReplacedByTheOneBeforeIfTheLogReachesBack() {
    save(10, 20);
    disk.flipBit(name(20, 2), 60, 3);
    CheckpointStore store = reopened();
    assertThat(store.load(11)).map(CheckpointStoreTest::text).hasValue("state 10");
    assertThat(store.newestIndex()).isEqualTo(10);
    store.save(30, 2, StatePicture.of(new byte[0]));
    assertThat(disk.list())
        .as("the damaged file does not count among the two")
        .containsExactlyInAnyOrder(name(10, 2), name(30, 2));
  }

  @Test
  void aDamagedOneIsRefusedIfTheLogDoesNotReachBack() {
    save(10, 20);
    disk.flipBit(name(20, 2), 60, 3);
    assertThatThrownBy(() -> reopened().load(12))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.CORRUPT))
        .hasMessageContaining("begins at index 12")
        .hasMessageContaining(name(20, 2));
  }

  @Test
  void everyFlippedBitIsNoticed() {
    save(10);
    int bytes = disk.read(name(10, 2)).length;
    for (int offset = 0; offset < bytes; offset++) {
      disk.flipBit(name(10, 2), offset, offset % 8);
      assertThat(reopened().load(1)).as("byte %d", offset).isEmpty();
      disk.flipBit(name(10, 2), offset, offset % 8);
    }
    assertThat(reopened().load(1)).isPresent();
  }

  @Test
  void allDamagedIsNoLossWhileTheLogHoldsEverything() {
    save(10, 20);
    disk.flipBit(name(10, 2), 60, 3);
    disk.flipBit(name(20, 2), 60, 3);
    assertThat(reopened().load(1)).isEmpty();
    assertThatThrownBy(() -> reopened().load(2)).isInstanceOf(LogException.class);
  }

  @Test
  void aNewerVersionIsRefusedByName() {
    save(10);
    byte[] newer = disk.read(name(10, 2));
    ByteBuffer header = ByteBuffer.wrap(newer).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(8, 3).putInt(48, checksum(newer, 0, 48));
    disk.write(name(10, 2), newer);
    assertThatThrownBy(() -> reopened().load(1))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.FORMAT))
        .hasMessageContaining("version 3")
        .hasMessageContaining("version 2");
  }

  private static int checksum(byte[] of, int from, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(of, from, bytes);
    return (int) crc.getValue();
  }

  /** As this program wrote it before there were pieces. */
  private byte[] ofVersionOne(long index, byte[] state) {
    byte[] content = new byte[56 + state.length + 4];
    ByteBuffer to = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    to.putLong(0x31544B434D54474DL).putInt(1).putInt(0).putLong(index).putLong(2);
    to.putLong(MEMBER.getMostSignificantBits()).putLong(MEMBER.getLeastSignificantBits());
    to.putLong(state.length).put(state).putInt(checksum(content, 0, 56 + state.length));
    return content;
  }

  @Test
  void aCheckpointOfVersionOneIsReadAndSent() {
    byte[] state = new byte[3 * CheckpointFile.PIECE_BYTES + 5];
    new Random(2).nextBytes(state);
    disk.write(name(10, 2), ofVersionOne(10, state));
    CheckpointFile found = reopened().load(1).orElseThrow();
    assertThat(found.bytes()).isEqualTo(state.length);
    assertThat(found.crc()).isEqualTo(checksum(state, 0, state.length));
    assertThat(found.content().rest()).isEqualTo(ByteBuffer.wrap(state));
    assertThat(found.read(7, 3)).isEqualTo(ByteBuffer.wrap(state, 7, 3));
    byte[] damaged = ofVersionOne(20, state);
    damaged[100]++;
    disk.write(name(20, 2), damaged);
    assertThat(reopened().load(1)).map(CheckpointFile::index).hasValue(10L);
  }

  @Test
  void aLargeOneIsReadFromAnyPlace() {
    byte[] state = new byte[2 * CheckpointFile.PIECE_BYTES];
    new Random(3).nextBytes(state);
    CheckpointFile saved = reopened().save(10, 2, StatePicture.of(state));
    CheckpointFile found = reopened().load(1).orElseThrow();
    assertThat(found).isEqualTo(saved);
    assertThat(found.content().rest()).isEqualTo(ByteBuffer.wrap(state));
    for (int at = 0; at < state.length; at += 9_973) {
      ByteBuffer some = found.read(at, 30_000);
      assertThat(some).isEqualTo(ByteBuffer.wrap(state, at, some.remaining()));
      assertThat(some.remaining()).isPositive();
    }
    assertThat(found.read(state.length, 10).remaining()).isZero();
  }

  @Test
  void aFullDiskInTheMiddleOfAPieceLeavesTheOldOnesAndNoRest() {
    save(10, 20);
    disk.setBytesMax(disk.usedBytes() + CheckpointFile.PIECE_BYTES + 1_000);
    byte[] large = new byte[3 * CheckpointFile.PIECE_BYTES];
    assertThatThrownBy(() -> reopened().save(30, 2, StatePicture.of(large)))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.NO_SPACE));
    assertThat(disk.list()).containsExactlyInAnyOrder(name(10, 2), name(20, 2));
    assertThat(reopened().load(1)).map(CheckpointStoreTest::text).hasValue("state 20");
  }

  @Test
  void anotherMembersIsRefused() {
    save(10);
    assertThatThrownBy(() -> new CheckpointStore(disk, new UUID(3, 5)).load(1))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("mixed up");
  }

  @Test
  void aFullDiskLeavesTheOldOnesAndNoRest() {
    save(10, 20);
    disk.setBytesMax(disk.usedBytes());
    assertThatThrownBy(() -> save(30))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.NO_SPACE));
    assertThat(disk.list()).containsExactlyInAnyOrder(name(10, 2), name(20, 2));
  }

  @Test
  void otherFilesAreNoCheckpoints() {
    for (String other :
        List.of("checkpoint-1-1", name(10, 2) + ".tmp", "checkpoint-" + "x".repeat(39), "log")) {
      disk.write(other, new byte[100]);
    }
    assertThat(reopened().newestIndex()).isZero();
  }
}

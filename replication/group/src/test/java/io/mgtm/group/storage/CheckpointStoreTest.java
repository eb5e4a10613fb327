package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
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
      store.save(index, 2, ("state " + index).getBytes(UTF_8));
    }
  }

  private static String text(CheckpointStore.Checkpoint checkpoint) {
    return UTF_8.decode(checkpoint.state()).toString();
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
    assertThat(store.previousIndex()).isEqualTo(20);
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
    store.save(30, 2, new byte[0]);
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
    ByteBuffer content = ByteBuffer.wrap(disk.read(name(10, 2))).order(ByteOrder.LITTLE_ENDIAN);
    content.putInt(8, 2);
    CRC32C crc = new CRC32C();
    crc.update(content.slice(0, content.capacity() - 4));
    content.putInt(content.capacity() - 4, (int) crc.getValue());
    byte[] newer = new byte[content.capacity()];
    content.get(0, newer);
    disk.write(name(10, 2), newer);
    assertThatThrownBy(() -> reopened().load(1))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.FORMAT))
        .hasMessageContaining("version 2")
        .hasMessageContaining("version 1");
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

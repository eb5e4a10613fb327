package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a log does about bytes that are not as it wrote them. */
@ExtendWith(QuietLog.class)
class LogDamageTest {
  private static final UUID MEMBER = new UUID(7, 8);
  private static final LogSettings SETTINGS = new LogSettings(2048, 1, 4, 0, 0);

  /** Header and payload of the entries that {@link #appendMany} writes. */
  private static final int RECORD = 32 + 24;

  private SimulatedDisk disk = new SimulatedDisk(new Random(1));

  private LogStore open() {
    return open(MEMBER);
  }

  private LogStore open(UUID member) {
    return open(member, new ArrayDeque<>());
  }

  private LogStore open(UUID member, Deque<Runnable> tasks) {
    LogStore store = openOnly(member, tasks);
    store.startAppending();
    return store;
  }

  /** Up to where a member stores what it found. */
  private LogStore openOnly() {
    return openOnly(MEMBER, new ArrayDeque<>());
  }

  private LogStore openOnly(UUID member, Deque<Runnable> tasks) {
    return LogStore.open(
        new LogStore.Environment(
            disk,
            member,
            task -> {
              tasks.add(task);
              while (!tasks.isEmpty()) {
                tasks.poll().run();
              }
            },
            System::nanoTime),
        SETTINGS,
        0);
  }

  private static void appendMany(LogStore store, int entries) {
    for (int i = 0; i < entries; i++) {
      assertThat(store.hasRoom(24)).isTrue();
      store.append(
          1, ByteBuffer.wrap("entry of 24 bytes at %03d".formatted(i).getBytes(UTF_8), 0, 24));
    }
  }

  private void assertRefusedUnchanged(Category category, String... messageParts) {
    Map<String, byte[]> before = disk.snapshot();
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(category))
        .hasMessageContainingAll(messageParts);
    assertUnchanged(before);
  }

  private void assertUnchanged(Map<String, byte[]> before) {
    Map<String, byte[]> now = disk.snapshot();
    assertThat(now.keySet()).isEqualTo(before.keySet());
    now.forEach(
        (name, content) ->
            assertThat(Arrays.mismatch(content, before.get(name)))
                .as("first modified byte of %s", name)
                .isEqualTo(-1));
  }

  @Test
  void aDamagedEntryInTheMiddleIsRefusedWithItsPlace() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    appendMany(store, 10);
    disk.flipBit(FileNames.segment(1), 64 + 4 * RECORD + 40, 2);
    assertRefusedUnchanged(
        Category.CORRUPT,
        "simulated/" + FileNames.segment(1),
        "index 5",
        "offset " + (64 + 4 * RECORD),
        "restore");
  }

  @Test
  void aDamagedLastEntryIsRefusedWhenTheStatusPageKnowsItWasOnDisk() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    disk.flipBit(FileNames.segment(1), 64 + 9 * RECORD + 40, 2);
    assertRefusedUnchanged(Category.CORRUPT, "index 10", "the status page says");
  }

  @Test
  void laterRecordsProveDamageEvenWithoutTheStatusPage() {
    LogStore store = open();
    appendMany(store, 60);
    store.force();
    appendMany(store, 1);
    disk.delete(StatusPage.NAME);
    disk.flipBit(FileNames.segment(1), 64 + 4 * RECORD + 40, 2);
    assertThatThrownBy(this::open)
        .isInstanceOf(LogException.class)
        .hasMessageContaining("index 5")
        .hasMessageContaining("the record at offset")
        .hasMessageContaining("says that index 60 was on disk")
        .hasMessageContaining("a member of a group starts with an empty folder");
  }

  @Test
  void anUnforcedDamagedEntryIsCutWithAllBehindItAndReported() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    appendMany(store, 5);
    disk.flipBit(FileNames.segment(1), 64 + 12 * RECORD + 40, 2);
    LogStore found = open();
    assertThat(found.lastIndex()).isEqualTo(12);
    assertThat(found.recovery().cutBytes()).isBetween(3L * RECORD - 8, 3L * RECORD);
    assertThat(found.recovery().unsyncedMayBeLost()).isTrue();
    appendMany(found, 1);
    LogStore next = open();
    assertThat(next.lastIndex()).as("the old entry 14 does not come back").isEqualTo(13);
    assertThat(next.recovery().unsyncedMayBeLost()).as("it was told once").isFalse();
  }

  /** Nothing behind it shows that it was ever whole. */
  @Test
  void aDamagedLastEntryThatWasNotForcedIsReported() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    appendMany(store, 1);
    disk.flipBit(FileNames.segment(1), 64 + 10 * RECORD + 40, 2);
    LogStore found = open();
    assertThat(found.lastIndex()).isEqualTo(10);
    assertThat(found.recovery().unsyncedMayBeLost()).isTrue();
  }

  @Test
  void anEntryThatWasTakenBackIsNotMissed() {
    LogStore store = open();
    appendMany(store, 15);
    store.truncateSuffix(11);
    assertThat(open().recovery().unsyncedMayBeLost()).isFalse();
  }

  /** The member has not stored yet what the start before found. */
  @Test
  void aStartThatIsInterruptedAnywhereForgetsNoLostEntry() {
    for (int operations = 0; ; operations++) {
      disk = new SimulatedDisk(new Random(operations));
      LogStore store = open();
      appendMany(store, 10);
      store.force();
      appendMany(store, 5);
      disk.flipBit(FileNames.segment(1), 64 + 12 * RECORD + 40, 2);
      disk.crashAfter(operations);
      boolean isWhole = true;
      try {
        openOnly();
      } catch (SimulatedCrash crash) {
        isWhole = false;
      }
      disk.restartProcess();
      LogStore found = openOnly();
      assertThat(found.lastIndex()).isEqualTo(12);
      assertThat(found.recovery().unsyncedMayBeLost()).as("at operation %d", operations).isTrue();
      if (isWhole) {
        assertThat(operations).isGreaterThan(10);
        return;
      }
    }
  }

  /** What a running process reads may be good again, or of no account: the start knows. */
  @Test
  void damageThatIsReadMeanwhileIsJudgedByTheNextStart() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    int offset = 64 + 4 * RECORD;
    disk.flipBit(FileNames.segment(1), offset + 40, 2);
    try (LogCursor cursor = store.read(5)) {
      assertThatThrownBy(cursor::next)
          .isInstanceOf(LogException.class)
          .hasMessageContaining("is damaged at offset %d, index 5".formatted(offset))
          .hasMessageContaining("start again on this folder")
          .hasMessageNotContaining("empty folder");
    }
    assertRefusedUnchanged(Category.CORRUPT, "index 5", "a member of a group starts with an empty");
    disk.flipBit(FileNames.segment(1), offset + 40, 2);
    assertThat(open().lastIndex()).isEqualTo(10);
  }

  @Test
  void nothingIsCutWhereTheWayThereIsDamaged() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    int offset = 64 + 4 * RECORD;
    disk.flipBit(FileNames.segment(1), offset + 7, 6);
    disk.flipBit(FileNames.segment(1), offset + 4, 6);
    byte[] before = disk.snapshot().get(FileNames.segment(1));
    assertThatThrownBy(() -> store.truncateSuffix(8))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("is damaged at offset %d, index 5".formatted(offset))
        .hasMessageContaining("start again on this folder");
    assertThat(disk.snapshot().get(FileNames.segment(1))).isEqualTo(before);
  }

  @Test
  void aCutIsWipedOverAllFiles() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    appendMany(store, 100);
    disk.flipBit(FileNames.segment(1), 64 + 20 * RECORD + 40, 2);
    LogStore found = open();
    assertThat(found.lastIndex()).isEqualTo(20);
    assertThat(found.recovery().cutBytes()).isGreaterThan(88 * RECORD);
    for (String name : disk.list()) {
      if (FileNames.segmentSequence(name).orElse(0) > 1) {
        assertThat(disk.read(name)).as(name).containsOnly(0);
      }
    }
    appendMany(found, 100);
    assertThat(open().lastIndex()).isEqualTo(120);
  }

  @Test
  void aPayloadThatLooksLikeARecordProvesNothing() {
    LogStore store = open();
    appendMany(store, 1);
    store.force();
    appendMany(store, 1);
    // The image of a record of index 99 that claims index 98 to be on disk, as another log made it.
    SimulatedDisk mine = disk;
    disk = new SimulatedDisk(new Random(2));
    LogStore other = open(new UUID(1, 1));
    for (int i = 0; i < 30; i++) {
      appendMany(other, 1);
      other.force();
    }
    byte[] image =
        Arrays.copyOfRange(disk.read(FileNames.segment(1)), 64 + 25 * RECORD, 64 + 26 * RECORD);
    disk = mine;
    store.append(1, ByteBuffer.wrap(image));
    disk.flipBit(FileNames.segment(1), 64 + RECORD + 40, 2);
    assertThat(open().lastIndex()).isEqualTo(1);
  }

  @Test
  void aMissingFileInTheMiddleIsRefused() {
    LogStore store = open();
    appendMany(store, 150);
    disk.delete(FileNames.segment(2));
    assertRefusedUnchanged(Category.CORRUPT, FileNames.segment(2), "is missing");
  }

  @Test
  void aMissingFirstFileIsNoticedByTheCheckpointsOwner() {
    LogStore store = open();
    appendMany(store, 150);
    store.force();
    disk.delete(FileNames.segment(1));
    assertThat(open().firstIndex()).as("the checkpoint must reach up to it").isGreaterThan(1);
    assertThatThrownBy(() -> new CheckpointStore(disk, MEMBER).load(open().firstIndex()))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("no sound checkpoint");
  }

  @Test
  void aLogThatIsGoneIsRefused() {
    LogStore store = open();
    appendMany(store, 10);
    store.force();
    disk.list().stream().filter(name -> name.startsWith("log-")).forEach(disk::delete);
    assertRefusedUnchanged(Category.CORRUPT, "is missing");
  }

  @Test
  void aDamagedFirstHeaderIsRefused() {
    LogStore store = open();
    appendMany(store, 10);
    disk.flipBit(FileNames.segment(1), 25, 0);
    assertRefusedUnchanged(Category.CORRUPT, "damaged in its header");
  }

  @Test
  void anotherMembersFileIsRefused() {
    LogStore store = open();
    appendMany(store, 10);
    assertThatThrownBy(() -> open(new UUID(7, 9)))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("mixed up");
  }

  @Test
  void aNewerVersionIsRefusedWithBothVersions() {
    open();
    ByteBuffer header = disk.map(FileNames.segment(1)).buffer();
    header.putInt(8, 2);
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().limit(60));
    header.putInt(60, (int) crc.getValue());
    assertRefusedUnchanged(Category.FORMAT, "version 2", "version 1", "start the newer program");
  }

  /** The byte picture in {@link Segment} is a promise to every later version. */
  @Test
  void theLayoutOnDiskIsTheDocumentedOne() {
    LogStore store = open();
    appendMany(store, 2);
    store.force();
    store.append(77, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    ByteBuffer file = disk.map(FileNames.segment(1)).buffer();
    byte[] magic = new byte[8];
    file.get(0, magic);
    assertThat(new String(magic, UTF_8)).isEqualTo("MGTMLOG1");
    assertThat(file.getInt(8)).isEqualTo(1);
    assertThat(file.getLong(16)).as("sequence").isEqualTo(1);
    assertThat(file.getLong(24)).as("first index").isEqualTo(1);
    assertThat(new UUID(file.getLong(32), file.getLong(40))).isEqualTo(MEMBER);
    assertThat(file.getInt(48)).as("capacity").isEqualTo(2048);
    int record = 64 + 2 * RECORD;
    assertThat(file.getInt(record + 4)).as("length").isEqualTo(3);
    assertThat(file.getLong(record + 8)).as("index").isEqualTo(3);
    assertThat(file.getLong(record + 16)).as("term").isEqualTo(77);
    assertThat(file.getLong(record + 24)).as("durable index").isEqualTo(2);
    assertThat(file.getInt(record + 32)).as("payload").isEqualTo(0x00030201);
    assertThat(file.getLong(record + 40)).as("what follows").isZero();
  }

  @Test
  void noFlippedBitLosesWhatWasForced() {
    Seeds.forEach(250, seed -> flipOneBit(new Random(seed)));
  }

  private void flipOneBit(Random random) {
    disk = new SimulatedDisk(random);
    LogStore store = open();
    int synced = random.nextInt(100);
    appendMany(store, synced);
    store.force();
    appendMany(store, random.nextInt(50));
    long last = store.lastIndex();
    var names = disk.list();
    String name = names.get(random.nextInt(names.size()));
    disk.flipBit(name, random.nextInt(disk.read(name).length), random.nextInt(8));
    Map<String, byte[]> before = disk.snapshot();
    LogStore found;
    try {
      found = open();
    } catch (LogException refused) {
      assertThat(refused.category()).isIn(Category.CORRUPT, Category.FORMAT);
      assertUnchanged(before);
      return;
    }
    assertThat(found.lastIndex()).isBetween((long) synced, last);
    try (LogCursor cursor = found.read(1)) {
      while (cursor.next()) {
        assertThat(cursor.payload().remaining()).isEqualTo(24);
      }
    }
  }
}

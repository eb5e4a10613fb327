package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.StatePicture;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log on real files, whose background work runs at once. */
class LogStoreTest {
  private static final UUID MEMBER = new UUID(5, 6);
  private static final LogSettings SMALL = new LogSettings(4096, 1, 4, 0, 0);

  @TempDir Path folder;

  private LogStore open() {
    return open(SMALL, 0);
  }

  private LogStore open(LogSettings settings, long checkpointIndex) {
    LogStore store =
        LogStore.open(
            new LogStore.Environment(
                new DiskFiles(folder), MEMBER, Runnable::run, System::nanoTime),
            settings,
            checkpointIndex);
    store.startAppending();
    return store;
  }

  private List<String> files() {
    return new DiskFiles(folder)
        .list().stream().filter(n -> n.startsWith("log-")).sorted().toList();
  }

  private static void append(LogStore store, String... words) {
    for (String word : words) {
      assertThat(store.hasRoom(word.length())).isTrue();
      store.append(1, ByteBuffer.wrap(word.getBytes(UTF_8)));
    }
  }

  private static void appendMany(LogStore store, int entries, int bytes) {
    for (int i = 0; i < entries; i++) {
      append(store, "x".repeat(bytes));
    }
  }

  private static List<String> words(LogStore store, long from) {
    List<String> words = new ArrayList<>();
    try (LogCursor cursor = store.read(from)) {
      while (cursor.next()) {
        words.add(UTF_8.decode(cursor.payload()).toString());
      }
    }
    return words;
  }

  @Test
  void aNewLogIsEmptyAndBeginsAtOne() {
    LogStore store = open();
    assertThat(store.recovery()).isEqualTo(new RecoveryReport(true, true, 1, 0, 0, false));
    assertThat(store.firstIndex()).isEqualTo(1);
    assertThat(store.lastIndex()).isZero();
    assertThat(store.lastTerm()).isZero();
    assertThat(words(store, 1)).isEmpty();
  }

  @Test
  void whatWasAppendedIsReadBackAlsoAfterTheProcessDied() {
    LogStore store = open();
    append(store, "one", "", "three");
    assertThat(words(store, 1)).containsExactly("one", "", "three");
    LogStore found = open();
    assertThat(found.recovery()).isEqualTo(new RecoveryReport(false, false, 1, 3, 0, false));
    assertThat(found.durableIndex()).as("recovery forces what it finds").isEqualTo(3);
    assertThat(words(found, 2)).containsExactly("", "three");
  }

  @Test
  void aCleanCloseIsSeenOnceOnly() {
    LogStore store = open();
    append(store, "one");
    store.closeCleanly();
    assertThat(open().recovery()).isEqualTo(new RecoveryReport(false, true, 1, 1, 0, false));
    assertThat(open().recovery().clean()).isFalse();
  }

  @Test
  void entriesAreReadFromAnywhereAlsoAfterTheEndWasCutAndWrittenAnew() {
    Random random = new Random(11);
    LogStore store = open();
    List<String> model = new ArrayList<>();
    for (int round = 0; round < 400; round++) {
      if (!model.isEmpty() && random.nextInt(4) == 0) {
        int kept = Math.max(0, model.size() - random.nextInt(12));
        store.truncateSuffix(kept + 1L);
        model.subList(kept, model.size()).clear();
      }
      for (int i = random.nextInt(6); i >= 0; i--) {
        String word = round + "x".repeat(random.nextInt(150));
        append(store, word);
        model.add(word);
      }
      int from = random.nextInt(model.size() + 1);
      assertThat(words(store, from + 1L)).isEqualTo(model.subList(from, model.size()));
    }
  }

  @Test
  void aForceCoversAllBeforeItOverSeveralFiles() {
    LogStore store = open();
    appendMany(store, 200, 100);
    assertThat(store.segmentCount()).isGreaterThan(5);
    assertThat(store.isForceOverdue()).isTrue();
    assertThat(store.durableIndex()).isZero();
    assertThat(store.force()).isEqualTo(200);
    assertThat(store.durableIndex()).isEqualTo(200);
    assertThat(store.isForceOverdue()).isFalse();
    assertThat(words(open(), 1)).hasSize(200);
  }

  @Test
  void theLargestEntryFitsAndALargerOneIsRefused() {
    LogStore store = open();
    int max = SMALL.payloadBytesMax();
    append(store, "x".repeat(max), "y", "z".repeat(max));
    assertThatThrownBy(() -> store.hasRoom(max + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(max + " bytes");
    assertThatThrownBy(() -> store.append(1, ByteBuffer.allocate(max + 1)))
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(Category.NO_SPACE));
    assertThat(words(open(), 1)).hasSize(3);
  }

  @Test
  void thePayloadsPositionStays() {
    LogStore store = open();
    ByteBuffer payload = ByteBuffer.wrap("abcdef".getBytes(UTF_8)).position(2).limit(5);
    store.append(1, payload);
    assertThat(payload.position()).isEqualTo(2);
    assertThat(payload.limit()).isEqualTo(5);
    assertThat(words(store, 1)).containsExactly("cde");
  }

  @Test
  void anAppendBeforeTheNoteOfACleanStopIsTakenBackIsABrokenInvariant() {
    LogStore store =
        LogStore.open(
            new LogStore.Environment(
                new DiskFiles(folder), MEMBER, Runnable::run, System::nanoTime),
            SMALL,
            0);
    assertThatThrownBy(() -> store.append(1, ByteBuffer.allocate(1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void theSizeOfFilesMayChangeBetweenRuns() {
    LogStore small = open();
    appendMany(small, 60, 100);
    LogStore large = open(new LogSettings(16384, 1, 4, 0, 0), 0);
    append(large, "x".repeat(16384 - 96), "y");
    LogStore tiny = open(new LogSettings(1024, 2, 4, 0, 0), 0);
    appendMany(tiny, 30, 900);
    assertThat(words(open(), 1)).hasSize(92);
  }

  @Test
  void whatLiesBehindAnEntryIsCountedByFilesAlsoByTheNextStart() {
    LogStore store = open();
    assertThat(store.bytesBehind(0)).isZero();
    appendMany(store, 300, 100);
    assertThat(store.bytesBehind(0)).isEqualTo((store.segmentCount() - 1L) * SMALL.segmentBytes());
    assertThat(store.bytesBehind(300)).isZero();
    long half = store.bytesBehind(150);
    assertThat(half).isBetween(store.bytesBehind(0) / 3, store.bytesBehind(0) * 2 / 3);
    store.force();
    store.dropPrefix(100);
    assertThat(store.bytesBehind(150)).isEqualTo(half);
    assertThat(open(SMALL, 100).bytesBehind(150)).isEqualTo(half);
  }

  @Test
  void droppedFilesAreUsedAgain() {
    LogStore store = open();
    appendMany(store, 300, 100);
    store.force();
    long before = store.segmentCount();
    store.dropPrefix(250);
    assertThat(store.segmentCount()).isLessThan((int) before);
    assertThat(store.firstIndex()).isBetween(200L, 251L);
    assertThat(files())
        .as("in use, one ahead, and what is kept for reuse")
        .hasSize(store.segmentCount() + 4);
    assertThat(words(store, store.firstIndex())).hasSize((int) (301 - store.firstIndex()));
    appendMany(store, 120, 100);
    assertThat(words(open(SMALL, 250), 251)).hasSize(170);
  }

  @Test
  void nothingIsDroppedThatIsNotOnDiskOrIsBeingRead() {
    LogStore store = open();
    appendMany(store, 300, 100);
    store.dropPrefix(250);
    assertThat(store.firstIndex()).as("nothing is synced yet").isEqualTo(1);
    store.force();
    try (LogCursor cursor = store.read(100)) {
      store.dropPrefix(250);
      assertThat(store.firstIndex()).isLessThanOrEqualTo(100);
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.index()).isEqualTo(100);
    }
    store.dropPrefix(250);
    assertThat(store.firstIndex()).isGreaterThan(100);
    assertThatThrownBy(() -> store.read(100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("100");
  }

  @Test
  void aCursorFollowsTheLogAsItGrows() {
    LogStore store = open();
    try (LogCursor cursor = store.read(1)) {
      assertThat(cursor.next()).isFalse();
      appendMany(store, 100, 100);
      for (int i = 1; i <= 100; i++) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.index()).isEqualTo(i);
      }
      assertThat(cursor.next()).isFalse();
    }
  }

  @Test
  void aTakenBackSuffixIsGoneForGood() {
    LogStore store = open();
    appendMany(store, 100, 100);
    store.force();
    store.truncateSuffix(40);
    assertThat(store.lastIndex()).isEqualTo(39);
    assertThat(store.durableIndex()).isEqualTo(39);
    assertThat(store.lastTerm()).isEqualTo(1);
    store.append(2, ByteBuffer.wrap("new".getBytes(UTF_8)));
    assertThat(store.lastTerm()).isEqualTo(2);
    LogStore found = open();
    assertThat(words(found, 40)).containsExactly("new");
    assertThat(found.lastTerm()).isEqualTo(2);
    assertThatThrownBy(() -> found.truncateSuffix(0)).isInstanceOf(IllegalArgumentException.class);
    found.truncateSuffix(1);
    assertThat(found.lastIndex()).isZero();
    assertThat(found.lastTerm()).isZero();
    assertThat(open().lastIndex()).isZero();
  }

  @Test
  void aCheckpointFromElsewhereReplacesTheLog() {
    CheckpointStore checkpoints = new CheckpointStore(new DiskFiles(folder), MEMBER);
    LogStore store = open();
    appendMany(store, 100, 100);
    assertThatThrownBy(() -> store.restartAfter(100, 3, () -> {}))
        .isInstanceOf(IllegalArgumentException.class);
    store.restartAfter(500, 3, () -> checkpoints.save(500, 3, StatePicture.of(new byte[10])));
    assertThat(store.firstIndex()).isEqualTo(501);
    assertThat(store.lastIndex()).isEqualTo(500);
    assertThat(store.lastTerm()).isEqualTo(3);
    append(store, "after");
    assertThat(words(open(SMALL, 500), 501)).containsExactly("after");
  }

  @Test
  void anAppendAllocatesNothing() {
    LogStore store = open(new LogSettings(1 << 20, 2, 2, 0, 0), 0);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    ByteBuffer payload = ByteBuffer.allocateDirect(64);
    int entries = 2_000;
    long least = Long.MAX_VALUE;
    // Some rounds meet the making of a file, which runs on this thread here; most do not.
    for (int round = 0; round < 10; round++) {
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < entries; i++) {
        if (store.hasRoom(64)) {
          store.append(1, payload);
        }
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
    }
    assertThat(least).as("bytes in %d appends", entries).isLessThan(entries);
  }
}

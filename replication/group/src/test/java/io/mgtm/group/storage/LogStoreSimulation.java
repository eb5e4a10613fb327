package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.StatePicture;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.slf4j.helpers.MessageFormatter;

/**
 * One seeded life of a replica's log: appends of several terms, forces, entries taken back,
 * segments dropped, the whole log replaced by a checkpoint, and deaths in the middle of any of it.
 * After each death the log must be as before, or as the interrupted change would have left it.
 */
final class LogStoreSimulation {
  private static final UUID MEMBER = new UUID(77, 99);
  private static final int ROUNDS = 6;

  private record Entry(long term, ByteBuffer payload) {}

  private final Random random;
  private final Random failures;
  private final Random damages;
  private final SimulatedDisk disk;
  private final LogSettings settings;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final Coverage coverage;

  /** The model: entries of the indexes from base + 1 on. */
  private final List<Entry> entries = new ArrayList<>();

  private long base;
  private long synced;
  private long dropped;
  private long inMemory;
  private long truncatingFrom = Long.MAX_VALUE;
  private long restartingAt = -1;
  private long restartRefusedFor = -1;
  private boolean forceFailed;
  private boolean lostPower;
  private boolean damaged;

  private boolean forgetsWritten;
  private boolean damagesNothing;
  private boolean isOpen;
  private LogStore log;
  private CheckpointStore checkpoints;

  /** How often the simulation came to the places that it is there for. */
  static final class Coverage {
    int truncated;
    int truncationsInterrupted;
    int restarted;
    int restartsInterrupted;
    int restartsRefused;
    int dropped;
    int tailsCut;
    int forcesFailed;
    int entriesGoneInTheSameBoot;
    int damagedInTheSameBoot;
    int startsRepeated;
    int checkpointsWhereARestartWasRefused;
  }

  LogStoreSimulation(long seed, Coverage coverage) {
    this.random = new Random(seed);
    this.failures = new Random(~seed);
    this.damages = new Random(seed * 31 + 7);
    this.coverage = coverage;
    disk = new SimulatedDisk(random);
    settings = new LogSettings(1024 + 8 * random.nextInt(600), 1 + random.nextInt(2), 3, 0, 0);
  }

  void plant(SimulatedDisk.Fault fault) {
    disk.plant(fault);
    if (fault == SimulatedDisk.Fault.FAILURES_UNHEARD) {
      // That entries are missing would tell of it, and damage would tell of that fault.
      forgetsWritten = true;
      damagesNothing = true;
    }
  }

  /** Nobody knows after a death what was written. */
  void forgetWritten() {
    forgetsWritten = true;
  }

  void run() {
    for (int round = 0; round < ROUNDS; round++) {
      if (random.nextInt(4) == 0) {
        disk.crashAfter(random.nextInt(40));
      }
      try {
        open();
        live();
      } catch (SimulatedCrash crash) {
        disk.writeBackSome();
      }
      if (random.nextInt(3) == 0) {
        disk.restartProcess();
        inMemory = Math.max(inMemory, isOpen ? last() : 0);
        // One whose start was interrupted may not know yet what was synced before a loss of power.
        if (isOpen && !damagesNothing && damages.nextInt(4) == 0) {
          damaged = PlantedStorage.damageUnsynced(disk, MEMBER, damages);
        }
      } else {
        disk.losePower();
        inMemory = 0;
        lostPower = true;
      }
    }
    open();
  }

  private long last() {
    return base + entries.size();
  }

  private void open() {
    isOpen = false;
    disk.setBytesMax(Long.MAX_VALUE);
    tasks.clear();
    if (forgetsWritten) {
      PlantedStorage.forgetWritten(disk, MEMBER);
    }
    try {
      openStores();
    } catch (LogException e) {
      throw new AssertionError("the log cannot be opened: " + e.getMessage(), e);
    }
    acceptInterrupted();
    compare();
    entries.subList((int) (log.lastIndex() - base), entries.size()).clear();
    synced = last();
    inMemory = 0;
    truncatingFrom = Long.MAX_VALUE;
    restartingAt = -1;
    log.startAppending();
    forceFailed = false;
    lostPower = false;
    damaged = false;
    isOpen = true;
  }

  /** A page that goes while recovery is at it costs another start. */
  private void openStores() {
    for (int tries = 1; ; tries++) {
      try {
        checkpoints = new CheckpointStore(disk, MEMBER);
        log =
            LogStore.open(
                new LogStore.Environment(disk, MEMBER, tasks::add, System::nanoTime),
                settings,
                checkpoints.newestIndex());
        return;
      } catch (LogException e) {
        if (!forceFailed || e.category() != Category.IO || tries == 20) {
          throw e;
        }
        coverage.startsRepeated++;
      }
    }
  }

  private void acceptInterrupted() {
    if (truncatingFrom != Long.MAX_VALUE) {
      coverage.truncationsInterrupted++;
      synced = Math.min(synced, truncatingFrom - 1);
      inMemory = Math.min(inMemory, truncatingFrom - 1);
    }
    if (restartingAt > 0) {
      coverage.restartsInterrupted++;
      if (log.firstIndex() == restartingAt) {
        require(checkpoints.newestIndex() == restartingAt - 1, "the log is gone for nothing");
        modelRestart(restartingAt - 1);
        inMemory = 0;
      }
    }
    if (log.recovery().cutBytes() > 0) {
      coverage.tailsCut++;
    }
  }

  private void compare() {
    require(log.lastIndex() <= last(), "entry {} came from nowhere", log.lastIndex());
    require(log.lastIndex() >= synced, "synced up to {}, recovered {}", synced, log.lastIndex());
    boolean gone = log.lastIndex() < inMemory;
    coverage.entriesGoneInTheSameBoot += gone && !damaged ? 1 : 0;
    coverage.damagedInTheSameBoot += gone && damaged ? 1 : 0;
    require(
        !gone || log.recovery().unsyncedMayBeLost(),
        "appended up to {}, recovered {}, and the machine has not died",
        inMemory,
        log.lastIndex());
    require(
        forceFailed || lostPower || damaged || !log.recovery().unsyncedMayBeLost(),
        "entries count as lost, and only the process has died");
    require(
        !log.recovery().unsyncedMayBeLost() || !log.recovery().clean(),
        "a clean stop that lost something");
    require(
        log.firstIndex() <= Math.max(dropped, base) + 1,
        "the log begins at {} and {} was dropped",
        log.firstIndex(),
        dropped);
    readFrom(log.firstIndex());
  }

  private void readFrom(long from) {
    long index = from;
    try (LogCursor cursor = log.read(from)) {
      while (cursor.next()) {
        Entry entry = entries.get((int) (index - base - 1));
        require(
            cursor.index() == index
                && cursor.term() == entry.term()
                && cursor.payload().equals(entry.payload()),
            "entry {} is not what was appended",
            index);
        index++;
      }
    }
    require(index == log.lastIndex() + 1, "the log ends at {}", index - 1);
  }

  private void live() {
    if (random.nextBoolean()) {
      disk.crashAfter(random.nextInt(200));
    }
    for (int steps = random.nextInt(150); steps > 0; steps--) {
      if (last() == restartRefusedFor) {
        checkpointWhereARestartWasRefused();
      }
      if (random.nextInt(400) == 0) {
        failForce();
        return;
      }
      if (failures.nextInt(300) == 0) {
        forceFailed = true;
        disk.failToWriteBackSome();
        return;
      }
      switch (random.nextInt(16)) {
        case 0, 1 -> synced = Math.max(synced, log.force());
        case 2 -> disk.writeBackSome();
        case 3, 4, 5 -> runTask();
        case 6 -> truncate();
        case 7 -> drop(random.nextInt(20));
        case 10 -> {
          // The moment when the last segment may have no record on disk.
          synced = log.force();
          append();
          drop(0);
        }
        case 8 -> {
          long first = log.firstIndex();
          readFrom(first + random.nextInt((int) (log.lastIndex() + 2 - first)));
        }
        case 9 -> restart();
        default -> append();
      }
      require(log.lastIndex() == last(), "the log is not where it should be");
      require(log.durableIndex() >= synced, "what was synced is no longer durable");
    }
  }

  private void runTask() {
    Runnable task = tasks.poll();
    if (task != null) {
      task.run();
    }
  }

  private void append() {
    byte[] payload = new byte[random.nextInt(random.nextInt(5) == 0 ? 800 : 100)];
    random.nextBytes(payload);
    if (!log.hasRoom(payload.length)) {
      return;
    }
    long term = Math.max(1, log.lastTerm()) + (random.nextInt(10) == 0 ? 1 : 0);
    entries.add(new Entry(term, ByteBuffer.wrap(payload)));
    require(log.append(term, ByteBuffer.wrap(payload)) == last(), "wrong index");
    require(log.lastTerm() == term, "wrong term");
  }

  private void truncate() {
    long from = last() - random.nextInt(30) + 1;
    if (from > last() || from <= Math.max(dropped, log.firstIndex() - 1)) {
      return;
    }
    truncatingFrom = from;
    log.truncateSuffix(from);
    entries.subList((int) (from - base - 1), entries.size()).clear();
    synced = Math.min(synced, from - 1);
    truncatingFrom = Long.MAX_VALUE;
    coverage.truncated++;
  }

  private void drop(int kept) {
    dropped = Math.max(dropped, synced - kept);
    long firstBefore = log.firstIndex();
    log.dropPrefix(dropped);
    coverage.dropped += log.firstIndex() > firstBefore ? 1 : 0;
  }

  private void restart() {
    if (random.nextInt(6) != 0) {
      return;
    }
    long index = last() + 1 + random.nextInt(random.nextBoolean() ? 5 : 50);
    if (random.nextInt(3) == 0) {
      disk.setBytesMax(disk.usedBytes());
    }
    restartingAt = index + 1;
    try {
      log.restartAfter(index, 9, () -> checkpoints.save(index, 9, StatePicture.of(new byte[700])));
      modelRestart(index);
      coverage.restarted++;
    } catch (LogException full) {
      coverage.restartsRefused++;
      restartRefusedFor = index;
    }
    restartingAt = -1;
    disk.setBytesMax(Long.MAX_VALUE);
  }

  /** Its own checkpoint at that index must not be taken for the one that was to come. */
  private void checkpointWhereARestartWasRefused() {
    synced = log.force();
    checkpoints.save(last(), log.lastTerm(), StatePicture.of(new byte[300]));
    restartRefusedFor = -1;
    dropped = last(); // and nothing before it is taken back
    coverage.checkpointsWhereARestartWasRefused++;
  }

  /** After a force has failed, none may ever be reported to have gone well. */
  private void failForce() {
    append();
    if (log.durableIndex() == last()) {
      return;
    }
    disk.failNextForce();
    forceFailed = true;
    for (int tries = 0; tries < 2; tries++) {
      try {
        log.force();
        throw new AssertionError("a force went well after one had failed");
      } catch (LogException expected) {
        coverage.forcesFailed++;
      }
    }
  }

  private void modelRestart(long index) {
    entries.clear();
    base = index;
    synced = index;
    dropped = index;
  }

  private static void require(boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw new AssertionError(MessageFormatter.arrayFormat(message, arguments).getMessage());
    }
  }
}

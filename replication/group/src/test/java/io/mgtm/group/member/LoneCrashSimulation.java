package io.mgtm.group.member;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.storage.CheckpointFile;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.SimulatedCrash;
import io.mgtm.group.storage.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.slf4j.helpers.MessageFormatter;

/**
 * One seeded life of a log on a disk that forgets: appends, forces, checkpoints, full disks, failed
 * forces, clean stops, and deaths of the process or the machine at any operation. After each death
 * the log is opened again and compared with the model:
 *
 * <ul>
 *   <li>what is there is a prefix of what was appended, byte by byte;
 *   <li>every {@code REQUIRED} entry whose commit was seen is there, and so is, for every {@code
 *       AHEAD} entry whose commit was seen, the {@code AHEAD} entry before it;
 *   <li>the death of the process alone loses nothing that was appended, unless a force has failed;
 *   <li>when anything is missing that was acknowledged, the state machine was told;
 *   <li>a stop counts as clean only if nothing can be missing;
 *   <li>a checkpoint with its final name is whole.
 * </ul>
 */
final class LoneCrashSimulation {
  /** A promise was broken. */
  static final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    Violation(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private static final UUID MEMBER = new UUID(0x1234_5678_9abc_def0L, 0x0fed_cba9_8765_4321L);
  private static final int ROUNDS = 6;
  private static final List<Durability> DURABILITIES = List.of(Durability.values());

  private final LoneCrashCoverage coverage;
  private final Random random;
  private final Random failures;
  private final SimulatedDisk disk;
  private final GroupSettings settings;
  private final LoneModel model = new LoneModel();

  /** What is in memory when only the process has died. */
  private long inMemory;

  /** Whether it has died since it was open last. */
  private boolean mayBeTold;

  /** The index that the log was opened at, and how many of the model's entries stand before. */
  private long begin;

  private long countAtBegin;

  /** The last entry whose reply waits to be told of, and what the listener was told of last. */
  private long waits;

  private long heard;
  private boolean mayBeClean = true;
  private ManualThreads threads;
  private ChainMachine machine;
  private LoneLog log;
  private int boots;
  private boolean isOpen;
  private boolean failed;
  private boolean forceFailed;
  private boolean lostPower;
  private long nanos;

  LoneCrashSimulation(long seed, LoneCrashCoverage coverage) {
    this.coverage = coverage;
    random = new Random(seed);
    failures = new Random(~seed);
    disk = new SimulatedDisk(random);
    int segmentBytes = 1024 + 8 * random.nextInt(600);
    settings =
        GroupSettings.alone(
            random.nextInt(5) == 0 ? DurabilityMode.ALL : DurabilityMode.CRITICAL,
            new LogSettings(segmentBytes, 1 + random.nextInt(2), 2 + random.nextInt(3), 0, 10),
            500 + random.nextInt(12_000));
  }

  void plant(SimulatedDisk.Fault fault) {
    disk.plant(fault);
  }

  /** Throws {@link Violation} when a promise is broken. */
  void run() {
    for (int round = 0; round < ROUNDS; round++) {
      boolean died = false;
      boolean losePower = random.nextInt(3) != 0;
      try {
        if (random.nextInt(4) == 0) {
          disk.crashAfter(random.nextInt(90));
        }
        open();
        live();
        if (random.nextInt(4) == 0) {
          closeCleanly();
          continue;
        }
        if (!losePower) {
          dieWhileAppending();
        }
        died = true;
      } catch (SimulatedCrash crash) {
        died = true;
      }
      if (died) {
        mayBeTold = true;
        if (losePower) {
          coverage.powerLosses++;
          disk.losePower();
          boots++;
          inMemory = 0;
          lostPower = true;
        } else {
          coverage.processDeaths++;
          disk.restartProcess();
          inMemory = Math.max(inMemory, isOpen ? model.last() : 0);
        }
      }
    }
    disk.restartProcess();
    open();
  }

  private void open() {
    threads = new ManualThreads();
    failed = false;
    isOpen = false;
    disk.setBytesMax(Long.MAX_VALUE);
    disk.failNoForce();
    try {
      openLog();
    } catch (RuntimeException e) {
      throw new Violation("the log cannot be opened: " + e.getMessage(), e);
    }
    compare();
    forceFailed = false;
    lostPower = false;
    checkCheckpoints();
    coverage.tailsCut += log.store.recovery().cutBytes() > 0 ? 1 : 0;
    mayBeClean = false;
    mayBeTold = false;
    model.truncate(machine.count());
    begin = log.lastIndex();
    countAtBegin = model.last();
    model.seenCommitted = model.last();
    model.promised = model.last();
    model.lastAhead = 0;
    inMemory = 0;
    waits = 0;
    heard = begin;
    isOpen = true;
    require(log.committedIndex() == begin, "what was recovered does not count as committed");
  }

  /** A page that goes while recovery is at it costs another start. */
  private void openLog() {
    for (int tries = 1; ; tries++) {
      try {
        machine = new ChainMachine();
        threads.runFilesAtOnce(true);
        log =
            LoneLog.open(
                new MemberParts(
                    disk,
                    MEMBER,
                    () -> {},
                    threads,
                    "boot " + boots,
                    () -> nanos,
                    () -> nanos / 1_000_000,
                    1),
                settings,
                machine,
                threads.owner(),
                new Watcher());
        threads.runFilesAtOnce(false);
        return;
      } catch (LogException e) {
        if (!forceFailed || e.category() != Category.IO || tries == 20) {
          throw e;
        }
      }
    }
  }

  private void compare() {
    long recovered = machine.count();
    boolean clean = log.store.recovery().clean();
    boolean told = machine.missingAt() > begin;
    require(recovered <= model.last(), "entry {} came from nowhere", recovered);
    require(
        machine.hash() == model.hashes.get((int) recovered),
        "what was recovered up to {} is not what was appended",
        recovered);
    require(
        recovered >= model.promised,
        "entries up to {} were promised, {} were recovered",
        model.promised,
        recovered);
    coverage.entriesGoneInTheSameBoot += recovered < inMemory ? 1 : 0;
    require(
        forceFailed || lostPower || !log.store.recovery().unsyncedMayBeLost(),
        "entries count as lost, and only the process has died");
    require(
        recovered >= inMemory || (forceFailed && !clean),
        "the process died after entry {} and {} were recovered",
        inMemory,
        recovered);
    require(
        recovered >= model.seenCommitted || told,
        "entries up to {} were acknowledged, {} were recovered, and the state was not told",
        model.seenCommitted,
        recovered);
    require(
        mayBeTold || forceFailed || machine.missingAt() != log.lastIndex(),
        "the state was told of a loss that cannot be");
    if (clean) {
      require(recovered == model.last(), "a clean stop lost entries");
      require(mayBeClean || model.last() == 0, "a death was taken for a clean stop");
    }
  }

  private void live() {
    int steps = random.nextInt(150);
    long firstBefore = log.stats().firstIndex();
    int appendsOf16 = 2 + random.nextInt(12);
    if (random.nextBoolean()) {
      disk.crashAfter(random.nextInt(300));
    }
    for (int i = 0; i < steps && !failed; i++) {
      nanos += random.nextInt(2_000_000);
      if (random.nextInt(16) < appendsOf16) {
        append();
      } else {
        threads.runOne(random);
      }
      if (random.nextInt(20) == 0) {
        disturb();
      }
      observe();
    }
    coverage.checkpoints += (int) log.stats().checkpoints();
    coverage.segmentsDropped += log.stats().firstIndex() > firstBefore ? 1 : 0;
  }

  private void disturb() {
    switch (random.nextInt(8)) {
      case 0 -> disk.setBytesMax(disk.usedBytes() + random.nextInt(3000));
      case 1, 2 -> disk.setBytesMax(Long.MAX_VALUE);
      case 3 -> {
        if (random.nextInt(4) == 0) {
          disk.failNextForce();
          forceFailed = true;
        }
        if (failures.nextInt(4) == 0) {
          disk.failToWriteBackSome();
          forceFailed = true;
        }
      }
      case 4 -> {
        threads.runAll();
        require(
            failed || heard >= waits, "entry {} waits, and the listener heard of {}", waits, heard);
      }
      default -> disk.writeBackSome();
    }
  }

  private void append() {
    byte[] payload = new byte[random.nextInt(random.nextInt(5) == 0 ? 700 : 90)];
    random.nextBytes(payload);
    ByteBuffer buffer = ByteBuffer.wrap(payload);
    if (!log.hasRoom(payload.length)) {
      coverage.roomRefused++;
      require(!log.noRoomReason().isEmpty(), "no reason is given for the lack of room");
      return;
    }
    Durability durability = DURABILITIES.get(random.nextInt(DURABILITIES.size()));
    machine.applyOwn(buffer);
    model.hashes.add(machine.hash());
    model.durabilities.add(settings.durability().atLeast(durability));
    try {
      long index = log.append(buffer, durability);
      require(counted(index) == model.last(), "entry {} got index {}", model.last(), index);
      if (heard < waits || log.committedIndex() < index) {
        waits = index;
      }
    } catch (LogException e) {
      require(e.category() == Category.IO, "an append with room failed: {}", e.getMessage());
      model.truncate(model.last() - 1);
      failed = true;
    }
  }

  /** Dies in the middle of storing an entry; nobody has seen its index. */
  private void dieWhileAppending() {
    if (failed) {
      return;
    }
    long before = model.last();
    Map<String, byte[]> image = disk.snapshot();
    append();
    if (model.last() > before) {
      inMemory = before;
      mayBeTold = true;
      disk.tearStoresSince(image);
      disk.restartProcess();
      open();
    }
  }

  private void closeCleanly() {
    disk.setBytesMax(Long.MAX_VALUE);
    mayBeClean = true;
    try {
      log.close();
    } catch (LogException e) {
      failed = true;
    }
    while (threads.runOwner()) {
      // a failure is told by a task of the owner
    }
    if (failed) {
      mayBeClean = false;
      return;
    }
    observe();
    coverage.cleanStops++;
    model.promised = model.last();
  }

  /** How many of the model's entries stand up to an index. */
  private long counted(long index) {
    return countAtBegin + index - begin;
  }

  /** Takes note of what the log has promised so far. */
  private void observe() {
    if (disk.hasCrashed()) {
      return;
    }
    long committed = counted(log.committedIndex());
    require(committed >= model.seenCommitted, "the committed index went back");
    model.committed(committed);
  }

  private void checkCheckpoints() {
    CheckpointStore checkpoints = new CheckpointStore(disk, MEMBER);
    long newest = checkpoints.newestIndex();
    long sound = checkpoints.load(1).map(CheckpointFile::index).orElse(0L);
    require(sound == newest, "checkpoint {} is damaged", newest);
    require(log.stats().checkpointIndex() == newest, "the newest checkpoint was not used");
  }

  private static void require(boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw new Violation(MessageFormatter.arrayFormat(message, arguments).getMessage(), null);
    }
  }

  private final class Watcher implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {
      require(!failed, "committed after a failure");
      heard = index;
      if (isOpen) {
        require(
            index == log.committedIndex(), "the listener hears another index than is committed");
        require(
            counted(index) >= Math.min(model.seenCommitted, model.promised),
            "the listener hears an old index");
        observe();
      }
    }

    @Override
    public void failed(LogException cause) {
      SimulatedCrash.passOn(cause);
      require(cause.category() == Category.IO, "failed without an error of the disk");
      coverage.forcesFailed++;
      failed = true;
    }
  }
}

package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The owner publishes how far it has written, then its last index, and asks for a sync; threads
 * sync and tell the owner. In every order of these steps what counts as synced is on disk, and in
 * the end the owner has been told of all that it asked for.
 */
class SyncOrderTest {
  private static final UUID MEMBER = new UUID(5, 6);
  private static final int PAYLOAD_BYTES = 8;
  private static final int RECORD_BYTES = Segment.RECORD_HEADER_BYTES + PAYLOAD_BYTES;

  /** What may be wrong. */
  private enum Fault {
    NONE,
    /** A sync that has nothing to put on disk counts no entry either. */
    ONLY_A_FORCE_COUNTS,
    /** What is asked while a sync runs is taken to be covered by it. */
    ASKED_MEANWHILE_IS_LOST,
    /** The last index is published before the position that covers it. */
    INDEX_BEFORE_POSITION
  }

  /** A file that knows how much of it a loss of power would leave. */
  private static final class File implements MappedFile {
    private final ByteBuffer buffer = ByteBuffer.allocate(1_024).order(ByteOrder.LITTLE_ENDIAN);
    private int forcedTo;

    @Override
    public ByteBuffer buffer() {
      return buffer;
    }

    @Override
    public void zero(int offset, int bytes) {
      throw new AssertionError("nothing is wiped here");
    }

    @Override
    public void rewrite(int offset, int bytes) {
      throw new AssertionError("nothing is stored again here");
    }

    @Override
    public void force(int offset, int bytes) {
      assertThat(offset).as("begins where the last ended").isLessThanOrEqualTo(forcedTo);
      forcedTo = Math.max(forcedTo, offset + bytes);
    }
  }

  /** The log's syncer, with all that its threads have of it. */
  private static final class Log {
    private final Interleavings.Run run;
    private final Fault fault;
    private final SimulatedDisk disk = new SimulatedDisk(new Random(1));
    private final File file = new File();
    private final Segment segment = new Segment(1, MEMBER, file);
    private final Syncer syncer;
    private final BackgroundSync sync;
    private final Deque<Runnable> syncThread = new ArrayDeque<>();
    private final Deque<Runnable> owner = new ArrayDeque<>();
    private int offset = Segment.HEADER_BYTES;
    private long last;
    private long heard;
    private boolean syncing;

    Log(Interleavings.Run run, Fault fault) {
      this.run = run;
      this.fault = fault;
      segment.begin(1);
      segment.force(0, Segment.HEADER_BYTES);
      syncer = new Syncer(this, StatusPage.open(disk, MEMBER));
      sync =
          new BackgroundSync(
              this::force,
              syncThread::add,
              () -> owner.add(this::hear),
              failure -> {
                throw failure;
              });
    }

    private void append() {
      offset =
          segment.write(
              offset,
              ++last,
              1,
              syncer.durableIndex(),
              ByteBuffer.allocate(0),
              ByteBuffer.allocate(PAYLOAD_BYTES));
      syncer.written(LogSyncer.position(segment, offset), last);
      run.step();
      if (fault != Fault.ASKED_MEANWHILE_IS_LOST || !syncing) {
        sync.ask();
      }
    }

    private void force() {
      syncing = true;
      syncer.force();
      syncing = false;
      run.step();
    }

    private void hear() {
      heard = Math.max(heard, syncer.durableIndex());
    }

    /** Until the run is over. */
    void appendAndListen(int entries) {
      for (int i = 0; i < entries; i++) {
        append();
      }
      runTasksOf(owner);
    }

    void syncWhenAsked() {
      runTasksOf(syncThread);
    }

    /** As before a checkpoint; at a time when nobody else does, for they exclude each other. */
    void syncOnce() {
      run.await(() -> !syncing);
      sync.force();
    }

    private void runTasksOf(Deque<Runnable> tasks) {
      while (true) {
        run.await(() -> !tasks.isEmpty() && (tasks == owner || !syncing));
        tasks.poll().run();
      }
    }

    void check() {
      assertThat(heard).as("up to where the owner was told that it is synced").isEqualTo(last);
    }
  }

  /** One whose steps are taken one by one. */
  private static final class Syncer extends LogSyncer {
    private final Log log;
    private long forcedPosition;

    Syncer(Log log, StatusPage status) {
      super(
          log.disk,
          new UsedSegments(List.of(log.segment)),
          status,
          System::nanoTime,
          position(log.segment, Segment.HEADER_BYTES),
          0);
      this.log = log;
    }

    @Override
    void storePosition(long position) {
      if (log.fault == Fault.INDEX_BEFORE_POSITION) {
        super.storeIndex(log.last);
      }
      log.run.step();
      super.storePosition(position);
    }

    @Override
    void storeIndex(long index) {
      log.run.step();
      super.storeIndex(index);
    }

    @Override
    long loadPosition() {
      log.run.step();
      return super.loadPosition();
    }

    @Override
    long writtenIndex() {
      log.run.step();
      return super.writtenIndex();
    }

    @Override
    synchronized long force() {
      long end = super.loadPosition();
      if (log.fault == Fault.ONLY_A_FORCE_COUNTS && end == forcedPosition) {
        return durableIndex();
      }
      long index = super.force();
      forcedPosition = end;
      assertThat(log.file.forcedTo)
          .as("bytes on disk when entry %d counts", index)
          .isGreaterThanOrEqualTo(Segment.HEADER_BYTES + (int) index * RECORD_BYTES);
      return index;
    }
  }

  private static int runAll(Fault fault) {
    return Interleavings.runAll(
        run -> {
          Log log = new Log(run, fault);
          run.thread(() -> log.appendAndListen(2));
          run.thread(log::syncWhenAsked);
          return log::check;
        });
  }

  @Test
  void allThatIsAskedForIsSyncedAndToldInEveryOrder() {
    assertThat(runAll(Fault.NONE)).as("orders").isGreaterThan(100);
  }

  @Test
  void anotherSyncInBetweenTakesNothingAway() {
    int orders =
        Interleavings.runAll(
            run -> {
              Log log = new Log(run, Fault.NONE);
              run.thread(() -> log.appendAndListen(1));
              run.thread(log::syncWhenAsked);
              run.thread(log::syncOnce);
              return log::check;
            });
    assertThat(orders).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @EnumSource(value = Fault.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aPlantedFaultIsFound(Fault fault) {
    assertThatThrownBy(() -> runAll(fault))
        .isInstanceOf(AssertionError.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }
}

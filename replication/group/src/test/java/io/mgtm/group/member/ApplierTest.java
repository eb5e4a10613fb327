package io.mgtm.group.member;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.core.CoreLog.Checkpoint;
import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.MembershipHistory;
import io.mgtm.group.storage.CheckpointStore;
import io.mgtm.group.storage.DataDirectory;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.LogStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads are queues here, whose tasks run when the test says so. */
class ApplierTest {
  private static final int ENTRIES = 4 * Applier.TURN + 100;

  @TempDir Path folder;

  private final Deque<Runnable> owner = new ArrayDeque<>();
  private final Deque<Runnable> worker = new ArrayDeque<>();
  private final Sums machine = new Sums();
  private final Applier applier = new Applier(machine, false, owner::add, worker::add);
  private final List<Long> told = new ArrayList<>();
  private DataDirectory directory;
  private GroupDisk disk;

  /** The sum of all numbers, and how many were applied since that was last asked. */
  private static final class Sums implements StateMachine {
    private long sum;
    private int applied;
    private int loads;

    @Override
    public void apply(long index, ByteBuffer payload) {
      sum += Long.parseLong(UTF_8.decode(payload).toString());
      applied++;
    }

    @Override
    public StatePicture picture() {
      return StatePicture.of(Long.toString(sum).getBytes(UTF_8));
    }

    @Override
    public Runnable load(Pieces encoded) {
      loads++;
      long read = Long.parseLong(UTF_8.decode(encoded.rest()).toString());
      return () -> sum = read;
    }

    int takeApplied() {
      int was = applied;
      applied = 0;
      return was;
    }
  }

  @BeforeEach
  void open() {
    directory = DataDirectory.open(folder.resolve("data"));
    CheckpointStore checkpoints = new CheckpointStore(directory.files(), directory.member());
    LogStore store =
        LogStore.open(
            new LogStore.Environment(
                directory.files(), directory.member(), Runnable::run, System::nanoTime),
            new LogSettings(1 << 20, 1, 4, 0, 0),
            0);
    disk = new GroupDisk(store, checkpoints, 100, () -> {}, applier, null);
    applier.start(disk, new MembershipHistory(0, Membership.NONE));
    applier.tell(told::add);
    store.startAppending();
  }

  @AfterEach
  void close() {
    directory.close();
  }

  private void append(long from, long to) {
    for (long number = from; number <= to; number++) {
      ByteBuffer payload = ByteBuffer.wrap(Long.toString(number).getBytes(UTF_8));
      disk.append(new Entry(1, EntryKind.COMMAND, Durability.BUFFERED, payload));
    }
  }

  /** Runs one task; how many entries that applied. */
  private int turn(Deque<Runnable> of) {
    of.removeFirst().run();
    return machine.takeApplied();
  }

  private static long sumTo(long number) {
    return number * (number + 1) / 2;
  }

  private void leadUpTo(long last) {
    append(1, last);
    machine.sum = sumTo(last);
    applier.appliedByLeader(last);
    machine.takeApplied();
    machine.sum = sumTo(last);
  }

  @Test
  void noTurnAppliesMoreThanSomeEntries() {
    append(1, ENTRIES);
    applier.applyUpTo(ENTRIES);
    assertThat(machine.takeApplied()).isEqualTo(Applier.TURN);
    while (!owner.isEmpty()) {
      assertThat(turn(owner)).isLessThanOrEqualTo(Applier.TURN);
    }
    assertThat(machine.sum).isEqualTo(sumTo(ENTRIES));
    assertThat(told).isSorted().endsWith((long) ENTRIES);
  }

  @Test
  void aStateWithEntriesThatAreCutIsBuiltBesideTheOwnerAndInTurns() {
    leadUpTo(ENTRIES);
    disk.truncate(ENTRIES - 10);
    append(1_000_000, 1_000_000);
    assertThat(machine.takeApplied()).as("by the owner, at once").isZero();
    assertThat(applier.hasState()).isFalse();
    applier.applyUpTo(ENTRIES - 10);
    boolean[] applied = new boolean[1];
    applier.whenApplied(() -> applied[0] = true);
    assertThat(owner).isEmpty();
    assertThat(turn(worker)).as("decoded, and nothing else").isZero();
    while (!owner.isEmpty()) {
      assertThat(applied[0]).isFalse();
      assertThat(turn(owner)).isLessThanOrEqualTo(Applier.TURN);
    }
    assertThat(applied[0]).isTrue();
    assertThat(machine.sum).isEqualTo(sumTo(ENTRIES - 11) + 1_000_000);
    assertThat(applier.applied()).isEqualTo(ENTRIES - 10);
  }

  @Test
  void whatIsCutAgainMeanwhileNeedsNoOtherState() {
    leadUpTo(100);
    disk.truncate(90);
    disk.truncate(50);
    append(1_000_000, 1_000_000);
    turn(worker);
    applier.applyUpTo(50);
    while (!owner.isEmpty()) {
      turn(owner);
    }
    assertThat(machine.loads).isEqualTo(1);
    assertThat(machine.sum).isEqualTo(sumTo(49) + 1_000_000);
  }

  @Test
  void aCheckpointThatComesInIsNotReplacedByWhatIsStillDecoded() {
    leadUpTo(100);
    disk.truncate(90);
    turn(worker);
    applier.installed(new Checkpoint(200, 1, Membership.NONE, 1, 1), () -> machine.sum = 7);
    while (!owner.isEmpty()) {
      turn(owner);
    }
    assertThat(machine.sum).isEqualTo(7);
    assertThat(applier.applied()).isEqualTo(200);
  }
}

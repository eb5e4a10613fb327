package io.mgtm.group.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.StateMachine;
import io.mgtm.group.storage.LogSettings;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jgroups.protocols.raft.LogEntries;
import org.jgroups.protocols.raft.LogEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Time is what the test says; the files thread's work is done at once. */
@Timeout(60)
class RaftCheckpointsTest {
  private static final LogSettings FILES = new LogSettings(1 << 12, 1, 4, 2_000, 500);
  private static final int THRESHOLD = 2 << 12;
  private static final long LEADERSHIP = 77;
  private static final int PAYLOAD = 200;

  /** More than two files of {@link #FILES}. */
  private static final int MANY = 60;

  @TempDir Path folder;

  private long nowMs;
  private RaftDisk disk;
  private RaftReplica replica;
  private RaftCheckpoints checkpoints;

  /** Counts what it applies; its state is the count. */
  private static final class Counter implements StateMachine {
    private int applied;

    @Override
    public void apply(long index, ByteBuffer payload) {
      applied++;
    }

    @Override
    public byte[] checkpoint() {
      return ByteBuffer.allocate(4).putInt(applied).array();
    }

    @Override
    public void restore(ByteBuffer checkpoint) {
      applied = checkpoint.getInt();
    }
  }

  /** Starts the member, and kills it. */
  private void started(Runnable use) throws Exception {
    new RaftFolder(folder, FILES)
        .open(
            opened -> {
              disk = opened;
              replica = new RaftReplica(new Counter(), List.of("g1"));
              disk.newestCheckpoint().ifPresent(replica::restore);
              checkpoints = new RaftCheckpoints(disk, replica, Runnable::run, THRESHOLD);
              use.run();
            });
  }

  private void append(int commands) {
    if (disk.lastAppended() == 0) {
      append(RaftEntry.termStart(LEADERSHIP, 1, "g1"));
    }
    for (int i = 0; i < commands; i++) {
      append(command(disk.lastAppended()));
    }
  }

  private void append(RaftEntry entry) {
    assertThat(disk.hasRoom(RaftEntry.HEADER_BYTES + PAYLOAD, 2_000)).isTrue();
    disk.append(disk.lastAppended() + 1, LogEntries.create(new LogEntry(1, entry.encoded())));
  }

  /** The number of a command is one less than its index, for the term's start comes first. */
  private static RaftEntry command(long number) {
    return RaftEntry.command(LEADERSHIP, number, ByteBuffer.allocate(PAYLOAD));
  }

  private void commitAll() {
    commitTo(disk.lastAppended());
  }

  private void commitTo(long last) {
    for (long index = replica.index() + 1; index <= last; index++) {
      disk.commitIndex(index);
      LogEntry found = disk.get(index);
      replica.committed(
          index,
          RaftEntry.decode(ByteBuffer.wrap(found.command(), found.offset(), found.length())));
      checkpoints.committed();
    }
  }

  private void tickAfterASecond() {
    nowMs += 1_000;
    checkpoints.tick(nowMs);
  }

  private Optional<Long> newest() {
    return disk.newestCheckpoint().map(RaftCheckpoint::index);
  }

  @Test
  void checkpointIsTakenWhenTheLogHasGrownAndTheNextWhenItHasGrownAgain() throws Exception {
    started(
        () -> {
          append(5);
          commitAll();
          tickAfterASecond();
          assertThat(newest()).as("of a log that has hardly grown").isEmpty();
          append(MANY);
          commitAll();
          tickAfterASecond();
          assertThat(newest()).contains(disk.lastAppended());
          append(5);
          commitAll();
          tickAfterASecond();
          assertThat(newest()).contains(disk.lastAppended() - 5);
        });
  }

  @Test
  void whatAMemberFindsAtItsStartCountsOnceItIsCommitted() throws Exception {
    started(
        () -> {
          append(MANY);
          commitAll();
          tickAfterASecond();
          append(MANY);
        });
    started(
        () -> {
          long before = newest().orElseThrow();
          // It does not know yet how much of its log is committed: nothing new could be covered.
          tickAfterASecond();
          assertThat(newest()).contains(before);
          commitAll();
          tickAfterASecond();
          assertThat(newest()).contains(disk.lastAppended());
          assertThat(disk.firstAppended()).as("cut up to the one before").isEqualTo(before + 1);
        });
  }

  @Test
  void stateTakenByALeaderThatIsDeposedIsMadeUpFor() throws Exception {
    started(
        () -> {
          append(MANY);
          commitTo(MANY);
          replica.appliedByLeader();
          tickAfterASecond();
          assertThat(newest()).as("of a state that is ahead of the commits").isEmpty();
          checkpoints.restored();
          commitAll();
          tickAfterASecond();
          assertThat(newest()).contains(disk.lastAppended());
        });
  }
}

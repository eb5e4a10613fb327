package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.state.GtmState;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A backup that the first leader writes, some pieces a batch. */
class FirstEntriesTest {
  private static final int SEQUENCES = 30_000;
  private static final int PARTS_A_TURN = 8;
  private static final int ENTRY_BYTES = 129 * 1024;

  private final BackupFile backup = backup();
  private final GtmStateMachine machine = new GtmStateMachine(GtmState.empty());
  private final ReadIndexLog log = new ReadIndexLog();
  private final FirstEntries first =
      new FirstEntries(
          TestSetup.restoring(backup),
          new EntryAppender(
              machine,
              log,
              () -> 50,
              new LeaderMode(log, new RequestMetrics(new SimpleMeterRegistry()))),
          machine,
          log);

  private static BackupFile backup() {
    GtmState state = new GtmState(10_000);
    state.beginEntry(7);
    for (int i = 0; i < SEQUENCES; i++) {
      state.apply(new SequenceCommand.Init("d.sequence" + i + "\0", 1, 1, 9, 1, false));
    }
    return BackupFile.of(42, 43, state);
  }

  /** One batch: what it appended is bounded, however large the backup is. */
  private boolean batch() {
    int before = log.entries.size();
    boolean done = first.append();
    List<byte[]> appended = log.entries.subList(before, log.entries.size());
    assertThat(appended).hasSizeBetween(1, PARTS_A_TURN);
    assertThat(appended).allSatisfy(entry -> assertThat(entry.length).isLessThan(ENTRY_BYTES));
    assertThat(machine.state().started()).isEqualTo(done);
    assertThat(first.wantsBatch()).isFalse(); // before that is committed
    log.commitAll();
    assertThat(first.wantsBatch()).isEqualTo(!done);
    return done;
  }

  private int turnsToEnd() {
    int batches = 1;
    while (!batch()) {
      batches++;
    }
    return batches;
  }

  private void requireRestored() {
    assertThat(machine.state().counts().sequences()).isEqualTo(SEQUENCES);
    assertThat(machine.state().restoredFrom()).isEqualTo(backup.identity());
    assertThat(log.replayed().picture().bytes()).isEqualTo(machine.picture().bytes());
  }

  @Test
  void eachTurnWritesSomePieces() {
    int parts = Restore.parts(backup);
    assertThat(parts).isGreaterThan(2 * PARTS_A_TURN);
    assertThat(first.wantsBatch()).isFalse();
    assertThat(turnsToEnd()).isEqualTo((parts + PARTS_A_TURN - 1) / PARTS_A_TURN);
    requireRestored();
    assertThat(first.append()).isTrue();
    assertThat(log.entries).hasSize(parts);
  }

  /** What is on its way to the others is bounded as well. */
  @Test
  void theNextPiecesWaitForTheLast() {
    assertThat(first.append()).isFalse();
    int appended = log.entries.size();
    requireWaiting(appended);
    log.committed = appended - 1L;
    requireWaiting(appended);
    log.commitAll();
    log.stable = appended - 1L;
    requireWaiting(appended);
    log.stable = Long.MAX_VALUE;
    assertThat(first.wantsBatch()).isTrue();
    turnsToEnd();
    requireRestored();
  }

  private void requireWaiting(int appended) {
    assertThat(first.wantsBatch()).isFalse();
    assertThat(first.append()).isFalse();
    assertThat(log.entries).hasSize(appended);
  }

  @Test
  void whoLeadsAnewBeginsAgain() {
    assertThat(batch()).isFalse();
    assertThat(batch()).isFalse();
    first.restart();
    assertThat(first.wantsBatch()).isFalse();
    turnsToEnd();
    requireRestored();
    assertThat(log.entries).hasSize(2 * PARTS_A_TURN + Restore.parts(backup));
  }
}

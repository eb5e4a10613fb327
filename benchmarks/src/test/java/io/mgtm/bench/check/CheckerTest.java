package io.mgtm.bench.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.check.Finding.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Time-lines: what is certain is insisted on, what is not is allowed both ways. */
class CheckerTest {
  private final Findings findings = new Findings();
  private final Checker checker = new Checker(new GivenOut(), findings);
  private final TransactionTrack a = checker.newTrack();
  private final TransactionTrack b = checker.newTrack();

  private void begin(TransactionTrack track, int gxid) {
    checker.beginAsked(track);
    checker.begun(track, gxid);
  }

  private void end(TransactionTrack track) {
    checker.endAsked(track);
    checker.ended(track);
  }

  private void snapshot(TransactionTrack track, int xmin, int xmax, int... running) {
    checker.snapshotAsked(track);
    received(track, xmin, xmax, running);
  }

  private void received(TransactionTrack track, int xmin, int xmax, int... running) {
    ByteBuffer list =
        ByteBuffer.allocateDirect(running.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int gxid : running) {
      list.putInt(gxid);
    }
    checker.snapshotReceived(track, xmin, xmax, xmin, list.clear(), 0, running.length);
  }

  private void assertFound(Kind... kinds) {
    assertThat(findings.first()).extracting(Finding::kind).containsExactly(kinds);
  }

  @Test
  void aTransactionBegunBeforeAndEndedAfterMustBeRunning() {
    begin(a, 10);
    begin(b, 11);
    snapshot(b, 10, 10);
    assertFound();
    snapshot(b, 12, 12);
    end(a);
    end(b);
    assertFound(Kind.RUNNING_HIDDEN, Kind.RUNNING_HIDDEN);
  }

  @Test
  void oneThatWasNotShownIsExcusedWhenItsConnectionTurnsOutToBeBroken() {
    begin(a, 10);
    begin(b, 11);
    snapshot(b, 11, 12, 11);
    checker.lost(a);
    end(b);
    assertFound();
  }

  @Test
  void oneThatIsNotListedAndNotBeforeXmaxIsRunning() {
    begin(a, 10);
    snapshot(a, 10, 10);
    assertFound();
  }

  @Test
  void oneWhoseEndWasAskedForMayBeEither() {
    begin(a, 10);
    begin(b, 11);
    checker.endAsked(a);
    snapshot(b, 11, 12, 11);
    snapshot(b, 10, 12, 10, 11);
    assertFound();
  }

  @Test
  void oneWhoseEndWasAcknowledgedOnlyAfterTheSnapshotWasAskedForMayBeEither() {
    begin(a, 10);
    begin(b, 11);
    checker.endAsked(a);
    checker.snapshotAsked(b);
    checker.ended(a);
    received(b, 10, 12, 10, 11);
    assertFound();
  }

  @Test
  void oneWhoseEndWasAskedForWhileTheSnapshotWasUnderWayMayBeEither() {
    begin(a, 10);
    begin(b, 11);
    checker.snapshotAsked(b);
    checker.endAsked(a);
    received(b, 11, 12, 11);
    assertFound();
  }

  @Test
  void oneBegunWhileTheSnapshotWasUnderWayMayBeEither() {
    begin(b, 10);
    checker.snapshotAsked(b);
    begin(a, 11);
    received(b, 10, 12, 10);
    assertFound();
  }

  @Test
  void oneWhoseEndWasAcknowledgedBeforeMustHaveEnded() {
    begin(a, 10);
    begin(b, 11);
    end(a);
    snapshot(b, 11, 11);
    assertFound();
    snapshot(b, 10, 12, 10, 11);
    assertFound(Kind.ENDED_SHOWN);
  }

  @Test
  void oneWhoseEndWasAcknowledgedBeforeMustLieBeforeXmax() {
    begin(a, 10);
    begin(b, 11);
    end(b);
    snapshot(a, 10, 11, 10);
    assertFound(Kind.ENDED_SHOWN);
  }

  @Test
  void oneThatEndedLongAgoMustNotBeListed() {
    begin(a, 10);
    begin(b, 11);
    end(a);
    for (int gxid = 12; gxid < 12 + 200_000; gxid++) {
      begin(a, gxid);
      end(a);
    }
    snapshot(b, 10, 12 + 200_000, 10, 11);
    assertFound(Kind.ENDED_SHOWN);
  }

  @Test
  void oneWhoseConnectionBrokeMayBeEitherForGood() {
    begin(a, 10);
    begin(b, 11);
    checker.lost(a);
    snapshot(b, 10, 12, 10, 11);
    snapshot(b, 11, 12, 11);
    assertFound();
  }

  @Test
  void othersTransactionsMayBeEither() {
    begin(a, 10);
    snapshot(a, 8, 12, 8, 9, 10, 11);
    snapshot(a, 10, 12, 10);
    assertFound();
  }

  @Test
  void gxidsWrapAround() {
    begin(a, -1);
    begin(b, 3);
    snapshot(b, -1, 4, -1, 3);
    end(a);
    end(b);
    begin(a, 4);
    snapshot(a, 4, 5, 4);
    assertFound();
    snapshot(a, -1, 5, -1, 4);
    assertFound(Kind.ENDED_SHOWN);
  }

  @Test
  void gxidsComeOnceAndUpwards() {
    begin(a, 10);
    checker.beginAsked(b);
    end(a);
    begin(a, 12);
    checker.begun(b, 11);
    assertFound();
    end(a);
    begin(a, 9);
    end(b);
    begin(b, 12);
    assertFound(Kind.GXID_WENT_BACK, Kind.GXID_TWICE, Kind.GXID_WENT_BACK);
  }

  @Test
  void gxidsStayGivenOutFromOneRunToTheNext() {
    GivenOut givenOut = new GivenOut();
    for (int run = 0; run < 2; run++) {
      Checker next = new Checker(givenOut, findings);
      TransactionTrack track = next.newTrack();
      next.beginAsked(track);
      next.begun(track, 10);
    }
    assertFound(Kind.GXID_TWICE);
  }

  @Test
  void aSnapshotsPartsMustAgree() {
    begin(a, 10);
    snapshot(a, 9, 11, 10);
    snapshot(a, 10, 11, 10, 10);
    snapshot(a, 10, 11, 10, 11);
    snapshot(a, 10, 10);
    assertFound(
        Kind.SNAPSHOT_INCONSISTENT,
        Kind.SNAPSHOT_INCONSISTENT,
        Kind.SNAPSHOT_INCONSISTENT,
        Kind.SNAPSHOT_INCONSISTENT);
  }

  @Test
  void heldTransactionsAreListedWhereverTheyStand() {
    checker.hold(20, 21, 22);
    begin(a, 30);
    snapshot(a, 20, 31, 20, 21, 22, 30);
    snapshot(a, 5, 31, 5, 20, 21, 22, 30);
    snapshot(a, 20, 31, 30, 22, 21, 20);
    assertFound();
    snapshot(a, 20, 31, 20, 22, 30);
    assertFound(Kind.RUNNING_HIDDEN);
  }

  @Test
  void heldTransactionsCannotHideAnother() {
    checker.hold(20, 21, 22);
    begin(a, 30);
    snapshot(a, 20, 31, 20, 21, 22);
    end(a);
    assertFound(Kind.RUNNING_HIDDEN);
  }

  @Test
  void sequenceValuesComeOnceAndUpwards() {
    SequenceChecker sequence = new SequenceChecker("s", new GivenOut(), findings);
    long first = sequence.asked();
    long second = sequence.asked();
    sequence.drawn(2, first);
    sequence.drawn(1, second);
    assertFound();
    sequence.drawn(2, sequence.asked());
    assertFound(Kind.VALUE_TWICE);
    sequence.drawn(-5, sequence.asked());
    assertFound(Kind.VALUE_TWICE, Kind.VALUE_WENT_BACK);
  }
}

package io.mgtm.gtm.node.total;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.RecordingPeer;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.util.Collections;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much a member of a group in mode total answers at a time; the order is the test's. */
class TotalReplyBoundTest {
  private static final long SESSION = LinkFormat.SESSION_BIT | 1;
  private static final int SNAPSHOT_GXIDS = 250_000;

  /** What is promised for one of them; eight make a batch full, and 32 all batches. */
  private static final int SNAPSHOTS = 100;

  private static final int IN_A_TURN = 9;
  private static final int AT_A_TIME = 36;
  private static final Limits LIMITS =
      new Limits(1_000, SNAPSHOT_GXIDS, 1_000, 10, Long.MIN_VALUE / 2, Long.MIN_VALUE / 2);

  private final LoneTotal node = new LoneTotal(LIMITS);
  private final RecordingPeer peer = new RecordingPeer("p");

  @BeforeEach
  void attach() {
    node.submit(new LinkWork.Attach(peer, SESSION, true, false));
    node.settleAll();
    peer.told.clear();
  }

  private void send(LinkCommand command) {
    node.submit(
        new LinkWork.Commands(peer, SESSION, 0, 1, Collections.nCopies(SNAPSHOTS, command)));
  }

  private static LinkCommand snapshot() {
    return new LinkCommand((short) 1, new SnapshotCommand.GetSnapshot(TransactionRef.gxid(0)));
  }

  @Test
  void whatSnapshotsMayTakeIsBounded() {
    send(snapshot());
    int answered = 0;
    while (!node.proposed().isEmpty()) {
      assertThat(node.proposed().size()).isLessThanOrEqualTo(AT_A_TIME / (IN_A_TURN - 1));
      node.settleAll();
      int more = peer.numbers.size() - answered;
      assertThat(more).isPositive().isLessThanOrEqualTo(AT_A_TIME);
      answered = peer.numbers.size();
    }
    assertThat(peer.numbers)
        .containsExactlyElementsOf(LongStream.rangeClosed(1, SNAPSHOTS).boxed().toList());
  }

  @Test
  void shortRepliesAreNot() {
    send(new LinkCommand((short) 1, new SequenceCommand.NextValue("d.s\0")));
    assertThat(node.proposed()).hasSize(1);
    node.settleAll();
    assertThat(peer.numbers).hasSize(SNAPSHOTS);
  }
}

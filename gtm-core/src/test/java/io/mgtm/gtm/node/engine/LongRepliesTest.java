package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a leader does with replies that are long, or many; the log and the batches are the test's.
 */
class LongRepliesTest extends LeaderHarness {
  private static final int SEQUENCES = 5_000;

  /** Of one list; the names are of six digits. */
  private static final int BYTES = 13 + SEQUENCES * (4 + 66 + 6);

  @BeforeEach
  void lead() {
    engine.leading();
    for (int i = 0; i < SEQUENCES; i++) {
      machine.state().apply(new SequenceCommand.Init("%06d".formatted(i), 1, 1, 9, 1, false));
    }
    engine.submit(new LinkWork.Attach(p1, ONE, true, false));
    engine.submit(new LinkWork.Attach(p2, TWO, true, false));
    settle();
    p1.told.clear();
    p2.told.clear();
  }

  private static Command list() {
    return new SequenceCommand.ListAll();
  }

  private void pullAll(long id) {
    while (p1.pieces.readableBytes() < BYTES) {
      engine.pull(p1, id, true);
    }
  }

  @Test
  void aLongListIsToldAtItsPlaceAndComesInPiecesBetweenOtherReplies() {
    send(p1, ONE, 1, List.of(list(), begin(ONE)));
    settle();
    assertThat(p1.told).containsExactly("1:pieces 1 of " + BYTES, "2:S");
    p1.told.clear();
    engine.pull(p1, 1, true);
    send(p1, ONE, 3, List.of(begin(ONE)));
    send(p2, TWO, 1, List.of(begin(ONE)));
    settle();
    pullAll(1);
    assertThat(p1.told.get(0)).startsWith("piece of ");
    assertThat(p1.told.get(1)).isEqualTo("3:S");
    assertThat(p1.told.size()).isGreaterThan(3);
    assertThat(p2.told).containsExactly("1:S");
    assertThat(p1.pieces.readableBytes()).isEqualTo(BYTES);
    assertThat(p1.pieces.getByte(0)).isEqualTo((byte) 'S');
    assertThat(p1.pieces.getInt(1)).isEqualTo(BYTES - 1);
    assertThat(p1.pieces.getInt(9)).isEqualTo(SEQUENCES);
  }

  @Test
  void itShowsOneMomentWhateverChangesMeanwhile() {
    send(p1, ONE, 1, List.of(list()));
    settle();
    engine.pull(p1, 1, true);
    machine.state().apply(new SequenceCommand.Init("another", 1, 1, 9, 1, false));
    machine.state().apply(new SequenceCommand.Close("000001"));
    pullAll(1);
    assertThat(p1.pieces.readableBytes()).isEqualTo(BYTES);
  }

  @Test
  void whatIsNotThereIsAPieceWithoutBytes() {
    send(p1, ONE, 1, List.of(list()));
    settle();
    engine.pull(p2, 1, true);
    engine.pull(p1, 2, true);
    engine.pull(p1, 1, false);
    engine.pull(p1, 1, true);
    assertThat(p2.told).containsExactly("piece of 0");
    assertThat(p1.told).containsExactly("1:pieces 1 of " + BYTES, "piece of 0", "piece of 0");
  }

  @Test
  void aDeposedLeaderGoesOnWithWhatIsHalfSentAndForgetsTheRest() {
    send(p1, ONE, 1, List.of(list(), list()));
    settle();
    engine.pull(p1, 1, true);
    engine.following();
    pullAll(1);
    p1.told.clear();
    engine.pull(p1, 2, true);
    assertThat(p1.told).containsExactly("piece of 0");
  }

  @Test
  void aGatewayThatTakesNoPiecesGetsTheListWhole() {
    p1.version = LinkFormat.VERSION_ENTRIES;
    send(p1, ONE, 1, List.of(list(), begin(ONE)));
    settle();
    assertThat(p1.told).containsExactly("1:S", "2:S");
    assertThat(p1.replyBytes).isGreaterThan(BYTES);
  }

  @Test
  void aListThatFitsNoFrameIsAnErrorForAGatewayThatTakesNoPieces() {
    for (int i = 0; i < 50_000; i++) {
      machine.state().apply(new SequenceCommand.Init("more" + i, 1, 1, 9, 1, false));
    }
    p1.version = LinkFormat.VERSION_ENTRIES;
    send(p1, ONE, 1, List.of(list(), begin(ONE)));
    settle();
    assertThat(p1.told).containsExactly("1:E", "2:S");
  }

  @Test
  void listsBeyondTheBoundAreRefusedUntilOthersAreSent() {
    send(p1, ONE, 1, Collections.nCopies(20, list()));
    settle();
    assertThat(p1.told).filteredOn(told -> told.contains("pieces")).hasSize(8);
    assertThat(p1.told).filteredOn(told -> told.endsWith(":E")).hasSize(12);
    p1.told.clear();
    engine.pull(p1, 3, false);
    send(p1, ONE, 21, List.of(list()));
    settle();
    assertThat(p1.told).containsExactly("21:pieces 9 of " + BYTES);
    engine.submit(new LinkWork.Gone(p1));
    send(p2, TWO, 1, Collections.nCopies(8, list()));
    settle();
    assertThat(p2.told).hasSize(8).noneMatch(told -> told.endsWith(":E"));
  }

  /** In pieces or not: what is asked for at once is answered as the link takes it. */
  @Test
  void theRepliesOfATurnAreBounded() {
    p1.version = LinkFormat.VERSION_ENTRIES;
    int lists = 512;
    send(p1, ONE, 1, Collections.nCopies(lists, list()));
    send(p1, ONE, lists + 1, List.of(begin(ONE)));
    send(p2, TWO, 1, List.of(begin(ONE)));
    p1.takesMore = false;
    settle();
    assertThat(p1.told).isEmpty();
    assertThat(p2.told).containsExactly("1:S");
    p1.takesMore = true;
    int most = 0;
    while (p1.numbers.size() <= lists) {
      engine.resume();
      assertThat(tasks).hasSize(1);
      tasks.remove().run();
      most = Math.max(most, p1.heldBytes);
      log.commitAll();
      log.confirmAll();
      engine.release();
    }
    assertThat(p1.numbers).hasSize(lists + 1).isSorted();
    assertThat(most).isBetween(BYTES, LeaderEngine.TURN_BYTES_MAX + 2 * BYTES);
    assertThat(fatal).isEmpty();
  }

  @Test
  void whatWaitsForALinkIsTurnedAwayWhenTheLeaderIsDeposed() {
    p1.takesMore = false;
    send(p1, ONE, 1, List.of(begin(ONE)));
    settle();
    engine.following();
    assertThat(p1.told).containsExactly("refused NOT_LEADING", "leading false");
    assertThat(machine.state().counts().transactions()).isZero();
  }

  @Test
  void whatWaitsForALinkThatEndsIsForgotten() {
    p1.takesMore = false;
    send(p1, ONE, 1, List.of(begin(ONE)));
    settle();
    engine.submit(new LinkWork.Gone(p1));
    settle();
    p1.takesMore = true;
    engine.resume();
    settle();
    assertThat(p1.told).isEmpty();
    assertThat(machine.state().counts().transactions()).isZero();
  }
}

package io.mgtm.group.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jgroups.Address;
import org.jgroups.raft.util.CommitTable;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

/** What a leader sends to members that lack entries, without a network. */
class RaftProgressTest {
  private static final long LAST = 1_000;
  private final Address member = UUID.randomUUID();
  private final RaftProgress progress = new RaftProgress(List.of(member), LAST + 1);

  /** An OK up to an index. */
  private void appended(long index, long commit) {
    progress.update(member, index, index + 1, commit, false);
  }

  /** A refusal of what does not follow, by a member whose log matches up to an index. */
  private void lacks(long index, long commit) {
    progress.update(member, index, index + 1, commit, true);
  }

  private CommitTable.Entry entry() {
    return progress.get(member);
  }

  @Test
  void memberThatRefusesIsSentAPieceOnceHoweverOftenItRefuses() {
    lacks(0, 0);
    assertThat(progress.takeDue(member)).isTrue();
    assertThat(entry().nextIndex()).isEqualTo(1);
    assertThat(entry().sendSingleMessage()).as("only one entry").isFalse();
    progress.sent(member, 1, 400, true);
    for (int i = 0; i < 100; i++) {
      lacks(0, 0);
      assertThat(progress.takeDue(member)).isFalse();
    }
  }

  @Test
  void pieceIsFollowedByTheNextUntilThereIsNoMore() {
    lacks(0, 0);
    progress.sent(member, 1, 400, true);
    assertThat(progress.takeDue(member)).isTrue();
    appended(400, 400);
    assertThat(progress.takeDue(member)).isTrue();
    progress.sent(member, 401, LAST, false);
    lacks(400, 400);
    assertThat(progress.takeDue(member)).isFalse();
    appended(LAST, 400);
    assertThat(progress.takeDue(member)).as("it has all").isFalse();
    lacks(LAST, 400);
    assertThat(progress.takeDue(member))
        .as("what came after the last piece was overtaken")
        .isTrue();
  }

  @Test
  void pieceThatCannotFollowOnTheLogIsGivenUp() {
    progress.sent(member, LAST + 1, LAST + 10, false);
    lacks(0, 0);
    assertThat(progress.takeDue(member)).isTrue();
    progress.sent(member, 1, 400, true);
    lacks(0, 0);
    assertThat(progress.takeDue(member)).isFalse();
  }

  @Test
  void memberWithOtherEntriesIsAskedOneByOne() {
    progress.sent(member, LAST + 1, LAST + 1, false);
    progress.update(member, 899, 900, 0, true, true);
    assertThat(progress.takeDue(member)).isTrue();
    assertThat(entry().nextIndex()).isEqualTo(900);
    assertThat(entry().sendSingleMessage()).isTrue();
  }

  @Test
  void memberThatWasStartedAnewBeginsAnew() {
    appended(900, 890);
    progress.sent(member, 901, LAST, false);
    lacks(0, 0);
    assertThat(entry().matchIndex()).isZero();
    assertThat(entry().commitIndex()).isZero();
    assertThat(entry().nextIndex()).isEqualTo(1);
    assertThat(progress.takeDue(member)).isTrue();
    progress.sent(member, 1, 400, true);
    appended(400, 400);
    assertThat(entry().matchIndex()).isEqualTo(400);
    assertThat(progress.takeDue(member)).isTrue();
  }

  @Test
  void answerThatAnotherHasOvertakenTakesNothingBack() {
    appended(900, 700);
    appended(899, 800);
    assertThat(entry().matchIndex()).isEqualTo(900);
    assertThat(entry().commitIndex()).isEqualTo(800);
    assertThat(progress.takeDue(member)).isFalse();
  }

  @Test
  void pieceIsWaitedForLongerThanAnAnswer() {
    appended(500, 500);
    assertThat(progress.isStuck(member, entry(), LAST, 900)).as("seen once").isFalse();
    assertThat(progress.isStuck(member, entry(), LAST, 900)).isTrue();
    progress.sent(member, 501, LAST, false);
    int looks = 1;
    while (!progress.isStuck(member, entry(), LAST, 900)) {
      looks++;
    }
    assertThat(looks).isEqualTo(10);
  }

  @Test
  void memberThatMovesIsNotStuck() {
    for (long index = 1; index < 100; index++) {
      appended(index, 0);
      assertThat(progress.isStuck(member, entry(), LAST, 900)).isFalse();
    }
  }

  @Test
  void memberThatHasAllIsToldOfCommits() {
    appended(LAST, 900);
    assertThat(progress.isStuck(member, entry(), LAST, 901)).isTrue();
    appended(LAST, 901);
    assertThat(progress.isStuck(member, entry(), LAST, 901)).isFalse();
  }

  @Test
  void memberThatLeftTheViewAndCameBackIsNotWaitedFor() {
    appended(500, 500);
    progress.sent(member, 501, LAST, true);
    progress.adjust(List.of(), LAST + 1);
    progress.adjust(List.of(member), LAST + 1);
    lacks(500, 500);
    assertThat(progress.takeDue(member)).isTrue();
  }
}

package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;

/** Who of a group may vote at once, when it meets for the first time. */
class RaftMeetingTest {
  private static final List<String> FOUNDERS = List.of("a", "b", "c");

  private final Address a = member("a");
  private final Address b = member("b");
  private final Address c = member("c");
  private final RaftMeeting meeting = new RaftMeeting();

  private static Address member(String name) {
    return ExtendedUUID.randomUUID(name).put(RAFT.raft_id_key, name.getBytes(UTF_8));
  }

  private void begins(long view, Address... members) {
    meeting.begins(View.create(members[0], view, members));
  }

  private void newIn(long view, Address... members) {
    for (Address member : members) {
      meeting.said(member, view, false);
    }
  }

  @Test
  void allThatAreNewMeetForTheFirstTime() {
    begins(3, a, b, c);
    newIn(3, a, b);
    assertThat(meeting.isFirst(FOUNDERS)).as("not all have said so").isFalse();
    newIn(3, c);
    assertThat(meeting.isFirst(FOUNDERS)).isTrue();
    assertThat(meeting.unsettled()).containsExactly(a, b, c);
  }

  @Test
  void oneThatHasSettledAtTheMeetingTakesNothingFromTheOthers() {
    begins(3, a, b, c);
    newIn(3, a, b, c);
    meeting.said(a, 3, true);
    assertThat(meeting.isFirst(FOUNDERS)).isTrue();
    assertThat(meeting.unsettled()).containsExactly(b, c);
  }

  @Test
  void oneThatMightVoteBeforeMayHavePromisedSomething() {
    begins(3, a, b, c);
    newIn(3, a, b);
    meeting.said(c, 3, true);
    assertThat(meeting.isFirst(FOUNDERS)).isFalse();
    meeting.said(c, 3, false);
    assertThat(meeting.isFirst(FOUNDERS)).as("not what it said at first").isFalse();
  }

  @Test
  void whoIsMissingMayHavePromisedSomething() {
    begins(3, a, b);
    newIn(3, a, b);
    assertThat(meeting.isFirst(FOUNDERS)).isFalse();
  }

  @Test
  void whatWasSaidInAnotherViewCountsNoMore() {
    begins(3, a, b, c);
    newIn(3, a, b, c);
    begins(4, a, b, c);
    assertThat(meeting.isFirst(FOUNDERS)).isFalse();
    assertThat(meeting.unsettled()).isEmpty();
  }

  @Test
  void whatIsSaidBeforeItsViewIsKnownCountsInIt() {
    newIn(3, a, b, c);
    begins(3, a, b, c);
    assertThat(meeting.isFirst(FOUNDERS)).isTrue();
  }
}

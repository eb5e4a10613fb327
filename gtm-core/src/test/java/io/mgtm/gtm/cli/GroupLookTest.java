package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.admin.NodeStatus.MemberStatus;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the answers of a follower and of its leader become one. */
class GroupLookTest {
  private static final NodeAddress HERE = NodeAddress.parse("10.0.0.2:6666");
  private static final String G1 = "10.0.0.1:6666";
  private static final String G3 = "10.0.0.3:6666";

  private final Deque<NodeStatus> answers = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();

  private NodeStatus look(NodeStatus first) {
    return new GroupLook(
            HERE,
            node -> {
              asked.add(node.toString());
              if (answers.isEmpty()) {
                throw new IOException("it is gone");
              }
              return answers.removeFirst();
            })
        .from(first);
  }

  private static NodeStatus status(
      String member, long term, String leader, String leaderAddress, long lastIndex, long lag) {
    boolean leads = member.equals(leader);
    return new NodeStatus(
        member,
        "fifo",
        leads ? "leader" : "follower",
        leads,
        false,
        term,
        leader,
        leaderAddress,
        lastIndex,
        lastIndex,
        lastIndex,
        "critical",
        1,
        List.of(new MemberStatus("g2", true, false, true, lag < 0 ? -1 : 500, lag, "", "")),
        leads ? List.of("g3 is not connected") : List.of(),
        "");
  }

  private static NodeStatus follower(long term, String leader, String at, long lastIndex) {
    return status("g2", term, leader, at, lastIndex, -1);
  }

  private static NodeStatus leader(String name, long term) {
    return status(name, term, name, "", 510, 10);
  }

  @Test
  void theNodeIsAskedAfterItsLeaderSoThatItIsNotBehindWhatThatKnows() {
    answers.add(leader("g1", 3));
    answers.add(follower(3, "g1", G1, 505));
    NodeStatus seen = look(follower(3, "g1", G1, 400));
    assertThat(asked).containsExactly(G1, HERE.toString());
    assertThat(seen.lastIndex()).isEqualTo(505);
    assertThat(seen.members().get(0).matchedIndex()).isEqualTo(500);
    assertThat(seen.members().get(0).lagEntries()).isEqualTo(10);
    assertThat(seen.warnings()).containsExactly("g1 says: g3 is not connected");
    assertThat(seen.role()).isEqualTo("follower");
  }

  @Test
  void whatAnEarlierLeaderSaysIsNotTaken() {
    answers.add(status("g1", 4, "g3", G3, 510, -1));
    answers.add(follower(4, "g3", G3, 505));
    answers.add(leader("g3", 4));
    answers.add(follower(4, "g3", G3, 506));
    NodeStatus seen = look(follower(3, "g1", G1, 400));
    assertThat(asked).containsExactly(G1, HERE.toString(), G3, HERE.toString());
    assertThat(seen.leader()).isEqualTo("g3");
    assertThat(seen.members().get(0).lagEntries()).isEqualTo(10);
    assertThat(seen.warnings()).containsExactly("g3 says: g3 is not connected");
  }

  @Test
  void figuresOfTwoTermsAreNotMixed() {
    for (int i = 0; i < 3; i++) {
      answers.add(leader("g1", 3));
      answers.add(follower(4, "g1", G1, 505));
    }
    NodeStatus seen = look(follower(4, "g1", G1, 400));
    assertThat(asked).hasSize(6);
    assertThat(seen.members().get(0).lagEntries()).isEqualTo(-1);
    assertThat(seen.warnings()).isEmpty();
  }

  @Test
  void withoutItsLeaderTheNodeTellsWhatItKnows() {
    NodeStatus first = follower(3, "g1", G1, 400);
    assertThat(look(first)).isSameAs(first);
  }

  @Test
  void aNodeThatLeadsOrKnowsNoLeaderIsNotAskedAgain() {
    NodeStatus leads = leader("g2", 3);
    assertThat(look(leads)).isSameAs(leads);
    NodeStatus alone = follower(3, "", "", 400);
    assertThat(look(alone)).isSameAs(alone);
    assertThat(asked).isEmpty();
  }
}

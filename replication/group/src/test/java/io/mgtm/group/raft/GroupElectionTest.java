package io.mgtm.group.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jgroups.Address;
import org.jgroups.View;
import org.jgroups.protocols.raft.RAFT;
import org.jgroups.protocols.raft.election.BaseElection;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who begins an election when there is no leader, without a network. */
class GroupElectionTest {
  private final Address own = UUID.randomUUID();
  private final Address other = UUID.randomUUID();
  private final RAFT raft = new RAFT();
  private boolean mayVote = true;
  private final Counted election = new Counted();

  private final class Counted extends GroupElection {
    private int begun;

    Counted() {
      super(() -> mayVote, failure -> {});
    }

    void see(Address... members) {
      view = View.create(members[0], 1, members);
    }

    @Override
    public synchronized BaseElection startVotingThread() {
      begun++;
      return this;
    }
  }

  @BeforeEach
  void join() {
    raft.raftId("g1").members(List.of("g1", "g2", "g3"));
    raft.addr(own);
    election.addr(own);
    election.raft(raft);
  }

  @Test
  void firstOfTheViewBeginsAtOnce() {
    election.see(own, other);
    election.pushOn();
    assertThat(election.begun).isEqualTo(1);
  }

  @Test
  void anotherLeavesItToTheFirstOnce() {
    election.see(other, own);
    election.pushOn();
    assertThat(election.begun).isZero();
    election.pushOn();
    assertThat(election.begun).isEqualTo(1);
    election.pushOn();
    assertThat(election.begun).isEqualTo(1);
  }

  @Test
  void nobodyBeginsWithoutAMajorityOrBesideALeader() {
    election.pushOn();
    election.see(own);
    election.pushOn();
    election.see(own, other);
    raft.setLeaderAndTerm(other, 1);
    election.pushOn();
    assertThat(election.begun).isZero();
  }

  @Test
  void leaderThatHasLeftTheViewIsNone() {
    raft.setLeaderAndTerm(other, 1);
    election.see(own, other);
    assertThat(election.leader()).isEqualTo(other);
    election.see(own, UUID.randomUUID());
    assertThat(election.leader()).isNull();
    election.pushOn();
    assertThat(election.begun).isEqualTo(1);
  }

  @Test
  void memberThatMayNotVoteLeavesItToTheFirst() {
    mayVote = false;
    election.see(other, own);
    election.pushOn();
    election.pushOn();
    election.pushOn();
    assertThat(election.begun).isZero();
  }
}

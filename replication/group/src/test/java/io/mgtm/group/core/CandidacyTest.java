package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a candidate asks, and what it stores meanwhile, in the cores' own time. */
class CandidacyTest {
  private final Cores cores = new Cores("a", "b", "c");
  private long formerTerm;
  private long askedTerm;
  private Cores.Node candidate;
  private Cores.Node voter;

  /** The leader has died, and of the others the first is to ask. */
  @BeforeEach
  void leaderDies() {
    cores.startEmpty("a", "b", "c");
    Cores.Node leader = cores.awaitLeader();
    List<Cores.Node> others =
        Stream.of("a", "b", "c").map(cores::node).filter(node -> node != leader).toList();
    cores.await("all follow", () -> others.stream().allMatch(n -> n.core.leader() != null));
    cores.crash(leader.self.name());
    formerTerm = leader.record.term();
    candidate = others.get(0);
    voter = others.get(1);
    cores.lose(voter.self.name(), candidate.self.name(), m -> m instanceof Message.PreVote);
  }

  private boolean isOwnVote(TermRecord record) {
    return candidate.self.equals(record.votedFor()) && record.term() > formerTerm;
  }

  /** In place of its own vote it stores nothing, and dies. */
  private void candidateDies() {
    long[] asked = {0};
    candidate.cannotSave =
        record -> {
          asked[0] = isOwnVote(record) ? record.term() : asked[0];
          return isOwnVote(record);
        };
    cores.await("it to ask", () -> asked[0] > 0);
    cores.crash(candidate.self.name());
    askedTerm = asked[0];
  }

  @Test
  void othersVoteWhileItStoresItsOwn() {
    candidateDies();
    assertThat(voter.record.term()).isEqualTo(askedTerm);
    assertThat(voter.record.votedFor()).isEqualTo(candidate.self);
  }

  /** Somebody may have voted, for another log. */
  @Test
  void noProcessAsksInTheTermThatTheOneBeforeItMayHaveAskedIn() {
    cores.lose(candidate.self.name(), voter.self.name(), m -> m instanceof Message.Vote);
    candidateDies();
    assertThat(candidate.record.term()).isEqualTo(formerTerm);
    assertThat(voter.record.term()).isEqualTo(formerTerm);
    cores.lose(candidate.self.name(), voter.self.name(), m -> false);
    candidate.cannotSave = record -> false;
    cores.restart(candidate.self.name());
    assertThat(cores.awaitLeader()).isSameAs(candidate);
    assertThat(candidate.record.term()).isGreaterThan(askedTerm);
  }
}

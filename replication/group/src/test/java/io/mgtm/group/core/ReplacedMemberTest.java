package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mode lazy: a leader that loses its disk is back before the others have elected another one. */
class ReplacedMemberTest {

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void leaderWhoseFolderIsGoneIsNotWaitedFor(int size) {
    List<String> names = List.of("a", "b", "c").subList(0, size);
    Cores cores = new Cores(Agreement.CONNECTED, names.toArray(String[]::new));
    names.forEach(cores::startEmpty);
    Cores.Node leader = cores.awaitLeader();
    cores.await(
        "all are in step", () -> names.stream().allMatch(n -> cores.node(n).core.isInStep()));
    leader.append(1);
    cores.run(1_000);
    cores.replace(leader.self.name());
    Cores.Node next = cores.awaitLeader();
    assertThat(next.self.name()).isNotEqualTo(leader.self.name());
    assertThat(next.core.commitIndex()).as("has what was acknowledged").isGreaterThanOrEqualTo(2);
    Cores.Node again = cores.node(leader.self.name());
    cores.await("it is let in anew", () -> next.core.membership().isVoter(again.self));
  }
}

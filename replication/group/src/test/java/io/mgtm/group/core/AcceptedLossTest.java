package io.mgtm.group.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AcceptedLossTest {
  private final Cores cores = new Cores("a", "b", "c");

  private void found() {
    cores.startEmpty("a", "b", "c");
    cores.awaitLeader();
    cores.await(
        "all follow",
        () -> List.of("a", "b", "c").stream().allMatch(n -> cores.node(n).core.leader() != null));
  }

  @Test
  void isRefusedWhileSomebodyLeads() {
    found();
    String leader = cores.leaders().get(0).self.name();
    for (String name : List.of("a", "b", "c")) {
      assertThat(cores.node(name).core.acceptLoss())
          .contains(leader + " leads, and waits for nobody");
    }
  }

  @Test
  void isForOneElectionOnly() {
    found();
    cores.crash("c");
    cores.restartAfterPowerCut("a");
    cores.restartAfterPowerCut("b");
    cores.run(20_000);
    assertThat(cores.leaders()).as("while c is missing").isEmpty();
    assertThat(cores.node("a").core.acceptLoss()).isEmpty();
    assertThat(cores.awaitLeader().self.name()).isEqualTo("a");

    cores.crash("b");
    cores.await("a leads no more", () -> cores.leaders().isEmpty());
    cores.restartAfterPowerCut("b");
    cores.run(20_000);
    assertThat(cores.leaders()).as("while c is missing once more").isEmpty();
    assertThat(cores.node("b").core.acceptLoss()).isEmpty();
    cores.awaitLeader();
  }
}

package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which server leads when servers go and come. */
class FleetTest {
  private final Fleet fleet =
      new Fleet(
          List.of(new HostPort("a", 1), new HostPort("b", 1), new HostPort("c", 1)),
          null,
          node -> {});

  private Node node(String host) {
    return fleet.find(new HostPort(host, 1));
  }

  @Test
  void whoComesBackLeadsAfterAllThatAreIn() throws Exception {
    fleet.eject(node("a"), "away");
    fleet.eject(node("b"), "away");
    assertThat(fleet.leader()).isEqualTo(node("c"));
    fleet.admit(node("b"));
    assertThat(fleet.in()).containsExactly(node("c"), node("b"));
    fleet.admit(node("a"));
    assertThat(fleet.in()).containsExactly(node("c"), node("b"), node("a"));
    fleet.eject(node("c"), "away");
    assertThat(fleet.leader()).isEqualTo(node("b"));
    fleet.admit(node("c"));
    assertThat(fleet.in()).containsExactly(node("b"), node("a"), node("c"));
  }
}

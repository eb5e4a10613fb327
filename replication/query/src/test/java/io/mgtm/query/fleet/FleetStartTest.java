package io.mgtm.query.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.order.ServerState;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetStartTest {
  private static final HostPort A = new HostPort("a", 5432);
  private static final HostPort B = new HostPort("b", 5432);
  private static final HostPort C = new HostPort("c", 5432);

  @TempDir private Path folder;
  @AutoClose private OrderLog order;
  private CommitLog commits;

  @BeforeEach
  void open() throws Exception {
    order = OrderLog.alone(folder, 64 << 20);
    commits = order.commits();
  }

  private void say(HostPort server, ServerState.Status status) {
    commits.change(server.toString(), new ServerState(status, "why not", 7)).join();
  }

  private Fleet fleet(HostPort... configured) {
    return new Fleet(List.of(configured), commits, node -> {});
  }

  private static List<HostPort> addresses(List<Node> nodes) {
    return nodes.stream().map(Node::address).toList();
  }

  private Stream<ServerState.Status> said() throws Exception {
    return commits.servers().values().stream().map(ServerState::status);
  }

  @Test
  void atTheFirstStartTheLogIsToldOfThoseThatAreConfigured() throws Exception {
    Fleet fleet = fleet(A, B);
    FleetStart start = new FleetStart(fleet, commits);
    start.restore();
    assertThat(addresses(start.toCompare())).containsExactly(A, B);
    assertThat(commits.servers()).containsOnlyKeys("a:5432", "b:5432");
    assertThat(said()).containsOnly(ServerState.Status.READMITTED);
    start.eject(fleet.nodes().get(1), "it is not there");
    assertThat(commits.servers().get("b:5432").status()).isEqualTo(ServerState.Status.AWAY);
  }

  @Test
  void theLogTellsWhoIsOutAndWhoLeads() throws Exception {
    say(B, ServerState.Status.IN);
    say(A, ServerState.Status.IN);
    say(C, ServerState.Status.AWAY);
    Fleet fleet = fleet(A, B, C);
    FleetStart start = new FleetStart(fleet, commits);
    start.restore();
    assertThat(addresses(fleet.in())).containsExactly(B, A);
    assertThat(fleet.find(C).why()).isEqualTo("why not");
    assertThat(start.toCompare()).isEmpty();
  }

  @Test
  void theServersAreThoseOfTheLogOnceOneWasIn() throws Exception {
    say(A, ServerState.Status.IN);
    say(B, ServerState.Status.IN);
    Fleet fleet = fleet(A, C);
    new FleetStart(fleet, commits).restore();
    assertThat(addresses(fleet.nodes())).containsExactly(A, B);
  }

  /** Whoever was to be compared, and was not, does not come back by itself. */
  @Test
  void aServerThatWasToBeComparedDiffersWhenItCannotBe() throws Exception {
    say(A, ServerState.Status.IN);
    say(B, ServerState.Status.READMITTED);
    Fleet fleet = fleet(A, B);
    FleetStart start = new FleetStart(fleet, commits);
    start.restore();
    assertThat(addresses(start.toCompare())).containsExactly(B);
    assertThat(start.eject(fleet.find(B), "it is not there")).isTrue();
    ServerState state = commits.servers().get(B.toString());
    assertThat(state.status()).isEqualTo(ServerState.Status.DIFFERS);
    assertThat(state.why()).isEqualTo("when the replicator started: it is not there");
  }

  @Test
  void aLogThatHasLostItsEndIsNotBelieved() throws Exception {
    say(A, ServerState.Status.IN);
    say(B, ServerState.Status.AWAY);
    FleetStart start = new FleetStart(fleet(A, B), commits);
    start.restore();
    start.mistrust();
    Map<String, ServerState> now = commits.servers();
    assertThat(now.get(A.toString()).status()).isEqualTo(ServerState.Status.READMITTED);
    assertThat(now.get(B.toString()).status()).isEqualTo(ServerState.Status.DIFFERS);
    long numbers = commits.lastNumber().join();
    start.mistrust();
    assertThat(commits.lastNumber().join()).isEqualTo(numbers);
  }
}

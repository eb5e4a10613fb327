package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Event;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.kit.KilledController;
import io.mgtm.ha.kit.Processes;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real controllers with their log and paths, before a kit that only remembers. */
class ClusterIT {
  private static final String HIERARCHIES =
      """
      hierarchies:
        orders:
          nodes: [a, b]
          resources:
            below: {kit: fake}
            above: {kit: fake, on: [below]}
      """;

  @TempDir private static Path folder;
  private static LocalCluster cluster;

  /** Where it is in service when a test begins, and the other node. */
  private String here;

  private String there;

  private void isInServiceOnlyAt(String node) {
    assertThat(cluster.kit.inService()).containsExactlyInAnyOrder(node + "/below", node + "/above");
  }

  @BeforeAll
  static void startAll() throws Exception {
    cluster = new LocalCluster(folder, List.of("a", "b", "w"), HIERARCHIES);
    cluster.start("a", "b", "w");
  }

  @AfterAll
  static void stopAll() {
    cluster.close();
  }

  /** As each test leaves it. */
  @BeforeEach
  void awaitService() {
    Await.until("a leader", () -> cluster.leader().isPresent());
    here = cluster.awaitWhere("orders");
    there = here.equals("a") ? "b" : "a";
    isInServiceOnlyAt(here);
  }

  @Test
  void aSwitchoverMovesItAndSaysWhy() {
    assertThat(cluster.ask(new OperatorCommand.Switchover("orders", there, false)).outcome())
        .isEqualTo(Outcome.DONE);

    Await.until("moved", () -> cluster.where("orders").equals(Optional.of(there)));
    isInServiceOnlyAt(there);
    assertThat(cluster.node("b").view().state().events())
        .anySatisfy(
            event -> {
              assertThat(event.subject()).isEqualTo("orders");
              assertThat(event.by()).isEqualTo("test");
            });
  }

  @Test
  void whatCrashedIsRepairedWhereItIs() {
    cluster.kit.crash(here, "above");

    Await.until("repaired", () -> cluster.kit.inService().contains(here + "/above"));
    isInServiceOnlyAt(here);
  }

  /** Without the witness nobody is elected once it is gone. */
  @Test
  void aLeaderThatStopsHandsOver() throws Exception {
    cluster.stop("w");
    Await.until("another was elected while it stopped", this::handsOver);
    cluster.start("w");
  }

  /** Stops the leader and starts it again; a busy machine may depose it before it can hand over. */
  private boolean handsOver() throws IOException {
    String leader = cluster.awaitLeader();
    ClusterView before = cluster.node(leader.equals("a") ? "b" : "a").view();
    cluster.stop(leader);
    ClusterView after = cluster.node(before.node()).view();
    cluster.start(leader);
    return after.term() > before.term();
  }

  @Test
  void whoDoesNotLeadSaysSo() {
    String other = cluster.awaitLeader().equals("a") ? "b" : "a";

    assertThat(cluster.node(other).ask("test", new OperatorCommand.Stop("orders")).join().outcome())
        .isEqualTo(Outcome.NOT_LEADING);
  }

  @Test
  void aStoppedHierarchyStaysOutUntilItIsStarted() {
    cluster.ask(new OperatorCommand.Stop("orders"));
    Await.until("out", () -> cluster.kit.inService().isEmpty());

    cluster.ask(new OperatorCommand.Start("orders", "", false));
    Await.until("in", () -> cluster.kit.inService().size() == 2);
  }

  @Test
  void aControllerThatIsStartedAgainTouchesNothingThatRuns() throws Exception {
    long epoch = cluster.epoch(there, "orders");
    cluster.stop(here);
    isInServiceOnlyAt(here);

    cluster.start(here);
    Await.until("adopted", () -> cluster.state(here, here, "orders") == State.IN);
    isInServiceOnlyAt(here);
    assertThat(cluster.epoch(there, "orders")).isEqualTo(epoch);
  }

  @Test
  void aRetiredNodesControllerStopsWithItsWatchdog() throws Exception {
    Path work = Processes.real(cluster.runtime(here).resolve("watchdog"));
    Await.until("a watchdog", () -> watchdogs(work) == 1);

    cluster.ask(new OperatorCommand.Retire(here, OperatorCommand.Rest.STAYS));
    Await.until("moved", () -> cluster.where("orders").equals(Optional.of(there)));
    cluster.stop(here);

    assertThat(watchdogs(work)).isZero();
    isInServiceOnlyAt(there);
    cluster.start(here);
    Await.until("activated", () -> isDone(new OperatorCommand.Activate(here)));
  }

  /** Its number is lost, and its clock would give it a lower one. */
  @Test
  @Tag("long")
  void aNodeThatCountsLowerThanBeforeEndsAndCountsOn() throws Exception {
    long before = 9_000_000_000L;
    Path file = folder.resolve(there).resolve("data/incarnation");
    cluster.stop(there);
    Files.writeString(file, before - 1 + "\n");
    cluster.start(there);
    Await.until("heard", () -> incarnation() == before);

    cluster.stop(there);
    Files.delete(file);
    cluster.start(there);
    Await.until("ended", () -> cluster.node(there).failure().isDone());
    assertThat(cluster.node(there).failure().join()).hasMessageContaining("" + before);

    cluster.stop(there);
    cluster.start(there);
    Await.until("heard again", () -> incarnation() > before);
  }

  private long incarnation() {
    return cluster.node(here).view().nodes().get(there).incarnation();
  }

  /** It sends no heartbeats: the controllers' log hears it, or does not. */
  @Test
  @Tag("long")
  void aWitnessIsToldOfWhenItIsSilentAndWhenItIsBack() throws Exception {
    assertThat(toldOfWitness()).isEmpty();
    cluster.stop("w");
    Await.until("silent", () -> toldOfWitness().equals(List.of("is silent")));

    cluster.start("w");
    Await.until("heard", () -> toldOfWitness().equals(List.of("is silent", "is heard again")));
  }

  private static List<String> toldOfWitness() {
    return cluster.node("a").view().state().events().stream()
        .filter(event -> event.subject().equals("w"))
        .map(Event::what)
        .toList();
  }

  private static boolean isDone(OperatorCommand command) {
    return cluster.ask(command).outcome() == Outcome.DONE;
  }

  private static long watchdogs(Path work) {
    return Processes.all().stream().filter(one -> one.worksIn(work, "java")).count();
  }

  @Test
  void whatAKilledControllerHadUnderWayIsEndedBeforeTheNextOneActs() throws Exception {
    cluster.stop(here);
    Path work = folder.resolve(here).resolve("run/orders/above");
    KilledController.leave(work, "touch begun; sleep 1000");
    assertThat(KilledController.working(work)).isPositive();

    cluster.start(here);
    Await.until("adopted", () -> cluster.state(here, here, "orders") == State.IN);
    assertThat(KilledController.working(work)).isZero();
  }
}

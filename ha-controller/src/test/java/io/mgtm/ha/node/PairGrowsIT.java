package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import io.mgtm.group.quorumdisk.QuorumDisk;
import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A pair with a witness becomes three nodes, and three such a pair, while what they run goes on.
 */
class PairGrowsIT extends ChangingCluster {
  private static final Reply DONE = new Reply(Outcome.DONE, "");
  private static final List<String> PAIR = List.of("a", "b");
  private static final List<String> THREE = List.of("a", "b", "c");

  private ClusterConfig pair(String witness) {
    return with(witness, PAIR, "a", "b", witness);
  }

  private ClusterConfig three() {
    return with(THREE, "a", "b", "c");
  }

  private void awaitVotes(String... names) {
    Await.until(
        "these vote: " + String.join(", ", names),
        () -> PAIR.stream().allMatch(name -> votersAsKnownBy(name).equals(Set.of(names))));
  }

  private Set<String> votersAsKnownBy(String node) {
    return Set.copyOf(cluster.node(node).view().voters());
  }

  /** Where the hierarchy is in service, since which start, and how often anything was started. */
  private record Service(String node, long epoch, int starts) {}

  private Service service() {
    String here = cluster.awaitWhere("orders");
    return new Service(here, cluster.epoch("a", "orders"), cluster.kit.starts());
  }

  /** The witness votes until the third node does, and then may go. */
  private void grow(String witness) throws Exception {
    assertThat(apply(three())).isEqualTo(DONE);
    cluster.start(three(), "c");
    awaitVotes("a", "b", "c");
    cluster.stop(witness);
  }

  @Test
  void aThirdNodeTakesTheWitnessesPlace() throws Exception {
    cluster.start(pair("d"), "d");
    cluster.start(pair("d"), "a", "b");
    Await.until("a leader", () -> cluster.leader().isPresent());
    Await.until("in service", () -> cluster.where("orders").isPresent());
    Service before = service();

    grow("d");

    Await.until("all see it", () -> cluster.where("orders").equals(Optional.of(before.node())));
    assertThat(service()).isEqualTo(before);
    // One of three may go, and what it has comes to the third when an operator says so.
    String other = before.node().equals("a") ? "b" : "a";
    cluster.stop(other);
    // The member that was stopped may have been the leader, and the view of it may be outdated.
    Await.until("an operator is heard", this::isHeard);
    Await.until("c serves", () -> cluster.where("orders").equals(Optional.of("c")));
  }

  private boolean isHeard() {
    return cluster.ask(new Switchover("orders", "c", false)).outcome() != Outcome.NOT_LEADING;
  }

  /** Until the third node is there nothing has become worse. */
  @Test
  @Tag("long")
  void thePairIsAPairUntilTheThirdComes() throws Exception {
    begins(pair("d"));
    assertThat(apply(three())).isEqualTo(DONE);
    Await.until("both know", () -> PAIR.stream().allMatch(this::knowsOfThree));
    assertThat(votersAsKnownBy("a")).isEqualTo(Set.of("a", "b", "d"));
    String gone = cluster.node("a").view().leader();
    String stays = gone.equals("a") ? "b" : "a";
    cluster.stop(gone);
    Await.until("the other leads", () -> cluster.node(stays).view().leader().equals(stays));

    cluster.start(three(), "c", gone);
    awaitVotes("a", "b", "c");
    cluster.stop("d");
    Await.until("in service", () -> cluster.where("orders").isPresent());
  }

  private boolean knowsOfThree(String node) {
    return cluster.node(node).view().state().config().nodes().containsKey("c");
  }

  @Test
  @Tag("long")
  void threeBecomeAPairAndThreeAgain() throws Exception {
    begins(three());
    ClusterConfig pair = pair("e");
    assertThat(apply(pair).text()).startsWith("c leaves, and is not retired");
    cluster.ask(new Retire("c", Rest.STAYS));
    Await.until("it is not on c", () -> cluster.where("orders").filter(PAIR::contains).isPresent());
    Service before = service();
    assertThat(apply(pair)).isEqualTo(DONE);
    cluster.start(pair, "e");
    awaitVotes("a", "b", "e");
    cluster.stop("c");
    Await.until("all see it", () -> cluster.where("orders").equals(Optional.of(before.node())));
    assertThat(service()).isEqualTo(before);

    // c joins again with an empty data folder, like a new machine.
    Path home = folder.resolve("c");
    Files.move(home.resolve("data"), home.resolve("data.old"));
    grow("e");
    Await.until("all see it", () -> cluster.where("orders").equals(Optional.of(before.node())));
    assertThat(service()).isEqualTo(before);
  }

  @Test
  @Tag("long")
  void anotherWitnessTakesTheWitnessesPlace() throws Exception {
    begins(pair("d"));
    Service before = service();
    assertThat(apply(pair("e"))).isEqualTo(DONE);
    awaitVotes("a", "b");
    cluster.stop("d");
    cluster.start(pair("e"), "e");
    awaitVotes("a", "b", "e");
    assertThat(cluster.where("orders")).isEqualTo(Optional.of(before.node()));
    assertThat(service()).isEqualTo(before);
  }

  @Test
  @Tag("long")
  void aDiskTakesTheWitnessesPlaceAndAWitnessTheDisks() throws Exception {
    Path path = folder.resolve("disk");
    assumeThatCode(() -> QuorumDisk.create(path, "test", PAIR, false))
        .as("a file system with direct access")
        .doesNotThrowAnyException();
    begins(pair("d"));
    Service before = service();
    ClusterConfig two = with(PAIR, "a", "b");
    ClusterConfig disk =
        new ClusterConfig(
            two.cluster(), two.timing(), two.nodes(), two.hierarchies(), path.toString());
    assertThat(apply(disk)).isEqualTo(DONE);
    awaitVotes("a", "b", ClusterConfig.QUORUM_DISK);
    cluster.stop("d");

    assertThat(apply(pair("e"))).isEqualTo(DONE);
    awaitVotes("a", "b");
    cluster.start(pair("e"), "e");
    awaitVotes("a", "b", "e");
    assertThat(cluster.where("orders")).isEqualTo(Optional.of(before.node()));
    assertThat(service()).isEqualTo(before);
  }
}

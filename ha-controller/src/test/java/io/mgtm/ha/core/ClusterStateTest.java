package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.config;
import static io.mgtm.ha.core.Clusters.state;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.Lead;
import io.mgtm.ha.core.ClusterCommand.LeasesOver;
import io.mgtm.ha.core.ClusterCommand.Leave;
import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Release;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.OperatorCommand.Activate;
import io.mgtm.ha.core.OperatorCommand.Answer;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Maintain;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.core.OperatorCommand.Scope;
import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Timing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterStateTest {
  private static final Policy POLICY = Policy.defaults();

  private static ClusterState onA1() {
    return apply(state(POLICY), 0, new Place(DB, "a1", 1, Set.of()));
  }

  @Test
  void whatDoesNotFitIsRefusedAndSaysWhy() {
    ClusterState on = onA1();
    assertThat(on.refusal(new Start("mail", "", false))).isEqualTo("no hierarchy is named mail");
    assertThat(on.refusal(new Start(DB, "c9", false)))
        .isEqualTo("db cannot run on c9, only on a1, a2, b1");
    assertThat(on.refusal(new Start(DB, "a2", false)))
        .isEqualTo("it is on a1: use switchover to move it");
    assertThat(on.refusal(new Start(DB, "", true)))
        .isEqualTo("to accept loss, name the node whose copy shall be used");
    assertThat(on.refusal(new Switchover(DB, "a1", false))).isEqualTo("it is on a1 already");
    assertThat(on.refusal(new Switchover(DB, "", false)))
        .isEqualTo("name the node that it shall move to");
    assertThat(on.refusal(new Answer(DB, true))).isEqualTo("no failover of it is pending");
    assertThat(on.refusal(new Maintain(Scope.NODE, "c9", true))).isEqualTo("no node is named c9");
    assertThat(on.refusal(new Place(DB, "a2", 2, Set.of())))
        .isEqualTo("it is not to be placed now");
    assertThat(on.refusal(new Leave(DB, 2, ""))).isEqualTo("it is in epoch 1 and HELD by now");
    assertThat(on.refusal(new Lead(Clusters.TERM, "b1"))).isEqualTo("term 7 has begun already");
    assertThat(ClusterState.EMPTY.refusal(new Stop(DB))).isEqualTo("no hierarchy is named db");
  }

  @Test
  void refusedCommandOfABatchChangesNothingButTheVersion() {
    ClusterState on = onA1();
    Decision refused = new Decision(new Place(DB, "a2", 2, Set.of()), "test", "", Map.of());
    ClusterState after = on.apply(new Batch(Batch.FORMAT, 9, 9, List.of(refused)));
    assertThat(after.version()).isEqualTo(on.version() + 1);
    assertThat(after.placements()).isEqualTo(on.placements());
    assertThat(after.events()).isEqualTo(on.events());
  }

  @Test
  void hierarchyGoesThroughItsStages() {
    ClusterState leaving = apply(onA1(), 0, new Switchover(DB, "a2", false));
    assertThat(leaving.placements().get(DB).stage()).isEqualTo(Stage.LEAVING);
    assertThat(leaving.placements().get(DB).changed()).isEqualTo(leaving.version());
    ClusterState moved = apply(leaving, 0, new Release(DB, 1), new Place(DB, "a2", 2, Set.of()));
    Placement placement = moved.placements().get(DB);
    assertThat(placement.node()).isEqualTo("a2");
    assertThat(placement.epoch()).isEqualTo(2);
    assertThat(placement.toward()).isEmpty();
    assertThat(placement.failovers()).isEmpty();
  }

  @Test
  void startOfWhatHasFailedRestartsIt() {
    ClusterState failed =
        apply(onA1(), 0, new ClusterCommand.Blame(DB, 1, "postgres", "dead", true));
    Placement again = apply(failed, 0, new Start(DB, "", false)).placements().get(DB);
    assertThat(again.stage()).isEqualTo(Stage.LEAVING);
    assertThat(again.toward()).isEqualTo("a1");
    assertThat(again.failures()).isEmpty();
  }

  private static MarkCopies word(long epoch, long incarnation, long count, String... inSync) {
    return new MarkCopies(
        DB, VOLUME, new Mark(epoch, incarnation, count), Set.of(inSync), Set.of());
  }

  private static Copies copies(ClusterState state) {
    return state.copies().get(DB).get(VOLUME);
  }

  @Test
  void laterMarkReplacesAnEarlierOneOnly() {
    ClusterState marked = apply(onA1(), 0, word(1, 2, 1, "a1"));
    assertThat(marked.refusal(word(1, 1, 9, "a1", "a2"))).isEqualTo("a newer mark is known");
    assertThat(marked.refusal(word(2, 9, 9, "a1", "a2")))
        .isEqualTo("its primary does not have it any more");
    assertThat(marked.refusal(word(0, 9, 9, "a1", "a2")))
        .isEqualTo("its primary does not have it any more");
    assertThat(copies(marked))
        .isEqualTo(
            new Copies(new Mark(1, 2, 1), Set.of("a1"), Set.of(), Map.of("a2", 0L, "b1", 0L)));
    assertThat(marked.refusal(new Switchover(DB, "a2", false)))
        .isEqualTo(
            "a2: its copy of volume is Outdated: it lacks what was acknowledged since"
                + " 1970-01-01T00:00:00Z; wait for its resync, or accept that loss");
    assertThat(marked.refusal(new Switchover(DB, "a2", true))).isEmpty();
  }

  /** It was given before the node left, and may be committed after that. */
  @Test
  void markNamesNoNodeThatHasLeft() {
    ClusterState marked = apply(onA1(), 0, word(1, 2, 1, "a1", "gone"));
    assertThat(copies(marked).upToDate()).containsExactly("a1");
  }

  /**
   * A node has left, and is there again.
   *
   * @param noted whether it is noted when
   */
  private static ClusterState a2IsPutBack(boolean noted) {
    ClusterState on = onA1();
    return apply(
        on,
        0,
        new Retire("a2", Rest.STAYS),
        new Configure(with(on.config(), "a1", "b1", "c1"), 1, noted),
        new Retire("c1", Rest.STAYS),
        new Configure(with(on.config(), "a1", "a2", "b1"), 2, noted));
  }

  /** It may be another machine by then, with other data. */
  @Test
  void markOfBeforeANodeWasPutBackSaysNothingOfIt() {
    ClusterState late = apply(a2IsPutBack(true), 0, word(1, 2, 1, "a1", "a2", "b1"));
    assertThat(copies(late).upToDate()).containsExactlyInAnyOrder("a1", "b1");
    assertThat(late.refusal(new Switchover(DB, "a2", false)))
        .startsWith("a2: its copy of volume is Outdated");
    MarkCopies known =
        new MarkCopies(DB, VOLUME, new Mark(1, 2, 2, 3), Set.of("a1", "a2"), Set.of());
    assertThat(copies(apply(late, 0, known)).upToDate()).containsExactlyInAnyOrder("a1", "a2");
  }

  /** All who read it agree, also with those who have read its checkpoint. */
  @Test
  void inALogOfBeforeThatWasNotedNothingIsNoted() {
    ClusterState late = apply(a2IsPutBack(false), 0, word(1, 2, 1, "a1", "a2"));
    assertThat(copies(late).upToDate()).containsExactlyInAnyOrder("a1", "a2");
  }

  /** A primary was put in, and its controller has not read that yet. */
  @Test
  void primaryAlwaysSpeaksForItself() {
    ClusterState began = state(POLICY);
    ClusterState on =
        apply(
            began,
            0,
            new Retire("a1", Rest.STAYS),
            new Configure(with(began.config(), "a2", "b1", "c1"), 1),
            new Retire("c1", Rest.STAYS),
            new Configure(with(began.config(), "a1", "a2", "b1"), 2),
            new Place(DB, "a1", 1, Set.of()),
            word(1, 2, 1, "a1", "a2"));
    assertThat(copies(on).upToDate()).containsExactlyInAnyOrder("a1", "a2");
  }

  @Test
  void copyIsOutdatedSinceItWasLeftBehindFirst() {
    ClusterState state = apply(onA1(), 0, word(1, 2, 1, "a1", "a2", "b1"));
    state = at(state, 1_000, word(1, 2, 2, "a1", "b1"));
    state = at(state, 2_000, word(1, 2, 3, "a1"));
    assertThat(copies(state).outdated()).isEqualTo(Map.of("a2", 1_000L, "b1", 2_000L));
    state = at(state, 3_000, word(1, 2, 4, "a1", "a2"));
    assertThat(copies(state).outdated()).isEqualTo(Map.of("b1", 2_000L));
  }

  private static ClusterState at(ClusterState state, long wall, ClusterCommand command) {
    assertThat(state.refusal(command)).isEmpty();
    Decision decision = new Decision(command, "test", "", Map.of());
    return state.apply(new Batch(Batch.FORMAT, 0, wall, List.of(decision)));
  }

  @Test
  void copyWhoseLossIsAcceptedIsTheOneThatCountsOnceItIsPlaced() {
    ClusterState state = apply(onA1(), 0, word(1, 2, 1, "a1", "b1"));
    state = apply(state, 0, new Switchover(DB, "a2", true), new Release(DB, 1));
    assertThat(copies(state).upToDate()).containsExactlyInAnyOrder("a1", "b1");
    assertThat(state.refusal(new Place(DB, "b1", 2, Set.of(VOLUME))))
        .isEqualTo("nobody has accepted what the copy on b1 lacks");
    state = apply(state, 0, new Place(DB, "a2", 2, Set.of(VOLUME)));
    assertThat(copies(state).upToDate()).containsExactly("a2");
    assertThat(copies(state).grounds("a2")).containsKey(CopyReport.ACCEPT_LOSS);
    state = apply(state, 0, word(2, 1, 1, "a2"));
    assertThat(copies(state).grounds("a2")).containsKey(CopyReport.VOUCHED);
  }

  private static ClusterConfig timed(ClusterConfig now, int leaseMs, int guardMs) {
    Timing timing = new Timing(500, leaseMs, guardMs, 5);
    return new ClusterConfig(now.cluster(), timing, now.nodes(), now.hierarchies());
  }

  @Test
  void newLeadersWaitForLeasesOfAFormerTiming() {
    ClusterState on = apply(onA1(), 0, new Configure(timed(onA1().config(), 9_000, 1_000), 1));
    assertThat(on.former()).as("all wait longer already").isNull();
    assertThat(on.leasesOverMs()).isEqualTo(10_500);

    ClusterState shorter = apply(on, 0, new Configure(timed(on.config(), 2_000, 1_000), 2));
    assertThat(shorter.leasesOverMs()).isEqualTo(10_500);
    // Those of the first are not over yet.
    shorter = apply(shorter, 0, new Configure(timed(on.config(), 2_000, 400), 3));
    assertThat(shorter.former()).isEqualTo(new FormerLeases(10_500, 0));

    ClusterState counted = apply(shorter, 0, new LeasesOver(77_000));
    assertThat(counted.leasesOverMs()).isEqualTo(10_500);
    ClusterState again = apply(counted, 0, new Configure(timed(on.config(), 2_000, 200), 4));
    assertThat(again.former()).as("counted anew").isEqualTo(new FormerLeases(10_500, 0));

    assertThat(apply(counted, 0, new LeasesOver(0)).leasesOverMs()).isEqualTo(2_520);
  }

  @Test
  void configurationIsNotChangedUnderWhatIsInService() {
    ClusterState on = onA1();
    ClusterConfig now = on.config();
    ClusterConfig without = new ClusterConfig("test", now.timing(), now.nodes(), Map.of());
    assertThat(on.refusal(new Configure(without, 1)))
        .isEqualTo("db is on a1: stop it before it is changed or removed");
    assertThat(on.refusal(new Configure(without, 0)))
        .isEqualTo("the configuration has been changed meanwhile and has version 1");
    Hierarchy db = now.hierarchies().get(DB);
    Hierarchy elsewhere = new Hierarchy(List.of("c9"), db.policy(), db.resources());
    assertThat(
            on.refusal(
                new Configure(
                    new ClusterConfig("test", now.timing(), now.nodes(), Map.of(DB, elsewhere)),
                    1)))
        .isEqualTo("db shall run on c9, which is no node with resources");
    ClusterState out = apply(on, 0, new Stop(DB), new Release(DB, 1));
    assertThat(apply(out, 0, new Configure(without, 1)).placements()).isEmpty();
    assertThat(
            on.refusal(
                new Configure(
                    config(Clusters.state(POLICY).config().hierarchies().get(DB).policy()), 1)))
        .isEmpty();
  }

  @Test
  void nothingIsPlacedOnARetiredNodeUntilItIsActive() {
    ClusterState out = apply(onA1(), 0, new Switchover(DB, "a2", false), new Release(DB, 1));
    ClusterState retired = apply(out, 0, new Retire("a2", Rest.STAYS));
    assertThat(retired.placements().get(DB).toward()).isEmpty();
    assertThat(retired.refusal(new Place(DB, "a2", 2, Set.of()))).isEqualTo("a2 is retired");
    assertThat(retired.refusal(new Start(DB, "a2", false)))
        .isEqualTo("a2 is retired: activate it first");
    assertThat(retired.refusal(new Activate("a1"))).isEqualTo("a1 is not retired");
    assertThat(retired.refusal(new Retire("c9", Rest.STAYS))).isEqualTo("no node is named c9");
    ClusterState active = apply(retired, 0, new Activate("a2"));
    assertThat(active.refusal(new Place(DB, "a2", 2, Set.of()))).isEmpty();
  }

  @Test
  void takingANodeOutIsNoFailover() {
    ClusterState moved = apply(onA1(), 0, new Retire("a1", Rest.STAYS), new Leave(DB, 1, "a2"));
    assertThat(moved.placements().get(DB).failovers()).isEmpty();
    ClusterState failed = apply(onA1(), 0, new Leave(DB, 1, "a2"));
    assertThat(failed.placements().get(DB).failovers()).hasSize(1);
  }

  private static ClusterConfig with(ClusterConfig now, String... nodes) {
    Map<String, Node> named = new LinkedHashMap<>();
    for (String name : nodes) {
      named.put(name, now.nodes().getOrDefault(name, now.nodes().get("a1")));
    }
    Hierarchy db = now.hierarchies().get(DB);
    List<String> on = Stream.of(nodes).toList();
    return new ClusterConfig(
        "test", now.timing(), named, Map.of(DB, new Hierarchy(on, db.policy(), db.resources())));
  }

  @Test
  void nodeLeavesWhenItIsRetiredAndHasNothing() {
    ClusterState on = onA1();
    Configure leaves = new Configure(with(on.config(), "a2", "b1", "c1"), 1);
    assertThat(on.refusal(leaves))
        .isEqualTo("a1 leaves, and is not retired: mgtm ha node retire a1 comes first");
    ClusterState retired = apply(on, 0, new Retire("a1", Rest.STAYS));
    assertThat(retired.refusal(leaves)).isEqualTo("a1 leaves, and still has db");
    ClusterState moved = apply(retired, 0, new Leave(DB, 1, ""), new Release(DB, 1), leaves);
    assertThat(moved.config().nodes().keySet()).containsExactly("a2", "b1", "c1");
    assertThat(moved.retired()).isEmpty();
  }

  @Test
  void majorityOfNodesStaysAsItIs() {
    ClusterState on = onA1();
    assertThat(on.refusal(new Configure(with(on.config(), "a1", "c1", "c2"), 1)))
        .isEqualTo("nodes: 1 of 3 nodes would stay, and a majority must; change fewer at a time");
    assertThat(on.refusal(new Configure(with(on.config(), "a1", "a2", "b1", "c1", "c2"), 1)))
        .isEmpty();
  }

  @Test
  void siteChangesWhileItsNodeIsInTheCluster() {
    ClusterState on = onA1();
    Map<String, Node> moved = new LinkedHashMap<>(on.config().nodes());
    moved.put("a2", moved.get("b1"));
    ClusterConfig other =
        new ClusterConfig("test", on.config().timing(), moved, on.config().hierarchies());
    assertThat(on.refusal(new Configure(other, 1))).isEmpty();
  }

  @Test
  void onlyCopyDoesNotLeaveAndOneThatLeavesIsForgotten() {
    ClusterState out =
        apply(
            onA1(),
            0,
            word(1, 2, 1, "a1"),
            new Retire("a1", Rest.STAYS),
            new Leave(DB, 1, ""),
            new Release(DB, 1));
    assertThat(out.refusal(new Configure(with(out.config(), "a2", "b1", "c1"), 1)))
        .isEqualTo(
            "no node of db would have a copy of volume with all that was acknowledged; a1 has");
    ClusterState without =
        apply(
            onA1(),
            0,
            word(1, 2, 1, "a1", "a2"),
            new Retire("a2", Rest.STAYS),
            new Configure(with(onA1().config(), "a1", "b1", "c1"), 1));
    assertThat(copies(without).upToDate()).containsExactly("a1");
    ClusterState back =
        apply(
            without,
            0,
            new Retire("c1", Rest.STAYS),
            new Configure(with(onA1().config(), "a1", "b1", "a2"), 2));
    assertThat(back.refusal(new Switchover(DB, "a2", false)))
        .startsWith("a2: its copy of volume is Outdated");
  }

  @Test
  void eventsAreBounded() {
    ClusterState state = onA1();
    for (int i = 0; i < ClusterState.EVENTS_MAX; i++) {
      state = apply(state, i, new Maintain(Scope.CLUSTER, "", i % 2 == 0));
    }
    assertThat(state.events()).hasSize(ClusterState.EVENTS_MAX);
    assertThat(state.events().get(0).id())
        .isEqualTo(state.lastEvent() - ClusterState.EVENTS_MAX + 1);
  }

  @Test
  void timeIsNeverSetBack() {
    ClusterState state = apply(onA1(), 500, new Stop(DB));
    assertThat(apply(state, 200, new Start(DB, "", false)).at()).isEqualTo(500);
  }
}

package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.TERM;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.primary;
import static io.mgtm.ha.core.Clusters.report;
import static io.mgtm.ha.core.Clusters.secondary;
import static io.mgtm.ha.core.Clusters.state;
import static io.mgtm.ha.core.DecisionRows.BY_ITSELF;
import static io.mgtm.ha.core.DecisionRows.GOES_BACK;
import static io.mgtm.ha.core.DecisionRows.MANUAL;
import static io.mgtm.ha.core.DecisionRows.MANUAL_FIRST;
import static io.mgtm.ha.core.DecisionRows.OUTDATED;
import static io.mgtm.ha.core.DecisionRows.holder;
import static io.mgtm.ha.core.DecisionRows.on;
import static io.mgtm.ha.core.DecisionRows.row;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.Blame;
import io.mgtm.ha.core.ClusterCommand.Halt;
import io.mgtm.ha.core.ClusterCommand.Leave;
import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Pend;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Release;
import io.mgtm.ha.core.ClusterCommand.Revoke;
import io.mgtm.ha.core.ClusterCommand.Unpend;
import io.mgtm.ha.core.ClusterCommand.Wait;
import io.mgtm.ha.core.Clusters.Seen3;
import io.mgtm.ha.core.DecisionRows.Row;
import io.mgtm.ha.core.OperatorCommand.Answer;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Maintain;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.core.OperatorCommand.Scope;
import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Policy.Failback;
import io.mgtm.ha.model.Policy.Failover;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is decided of a hierarchy that a node has, or had until now. */
class MovesTest {
  static Stream<Row> moving() {
    ClusterState near = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    ClusterState far = on(MANUAL_FIRST, "a1", "a1", "b1");
    ClusterState pending = apply(far, 0, new Pend(DB, 1, "b1", 600_000));
    ClusterState never = on(MANUAL, "a1", "a1", "b1");
    ClusterState blamed = apply(near, 0, new Blame(DB, 1, "postgres", "does not answer", true));
    UnaryOperator<Seen3> dead = s -> holder("a1", State.IN).apply(s).silent("a1", false);
    UnaryOperator<Seen3> failed = holder("a1", State.FAILED);
    return Stream.of(
        row("nothing while all is well", near, holder("a1", State.IN)),
        row("a dead node within a site", near, dead, new Revoke(DB, 1, "a2")),
        row("a dead node between sites", far, dead, new Pend(DB, 1, "b1", 600_000)),
        row("which is waited for", pending, s -> dead.apply(s).at(599_999)),
        row(
            "until the wait is over",
            pending,
            s -> dead.apply(s).at(600_000),
            new Revoke(DB, 1, "b1")),
        row(
            "or an operator confirms",
            apply(pending, 0, new Answer(DB, true)),
            dead,
            new Revoke(DB, 1, "b1")),
        row(
            "or cancels",
            apply(pending, 0, new Answer(DB, false)),
            s -> dead.apply(s).at(999_999_999).at(9_000)),
        row("or the node is back", pending, holder("a1", State.IN), new Unpend(DB, 1)),
        row(
            "by hand only",
            never,
            s -> dead.apply(s).at(1_000),
            new Pend(DB, 1, "b1", Long.MAX_VALUE)),
        row("nothing in maintenance", apply(near, 0, new Maintain(Scope.CLUSTER, "", true)), dead),
        row(
            "a failure is recorded first",
            near,
            failed,
            new Blame(DB, 1, "postgres", "does not answer", true)),
        row("and leads away", blamed, failed, new Leave(DB, 1, "a2")),
        row(
            "or out, when nobody can have it",
            blamed,
            s -> failed.apply(s).silent("a2", true).silent("b1", true),
            new Leave(DB, 1, "")),
        row(
            "a dead node that nobody can replace keeps it",
            near,
            s -> dead.apply(s).silent("a2", true).silent("b1", true),
            new Wait(DB, "a1 is silent; a2 is silent; b1 is silent")));
  }

  /** From a1, which failed, to a2; these copies are up to date. */
  private static ClusterState failedOver(ClusterState from, String... upToDate) {
    return apply(
        from,
        0,
        new Blame(DB, 1, "postgres", "does not answer", true),
        new Leave(DB, 1, "a2"),
        new Release(DB, 1),
        new Place(DB, "a2", 2, Set.of()),
        new MarkCopies(DB, VOLUME, new Mark(2, 1, 1), Set.of(upToDate), Set.of()));
  }

  static Stream<Row> movingOn() {
    ClusterState movedAway = failedOver(on(BY_ITSELF, "a1", "a1", "a2"), "a1");
    return Stream.of(
        row(
            "back to where it failed, when the node that took it over has died",
            movedAway,
            s -> s.silent("a2", false).silent("b1", true),
            new Revoke(DB, 2, "a1")),
        row(
            "but not when it failed there too",
            apply(movedAway, 0, new Blame(DB, 2, "postgres", "does not answer", true)),
            s -> s.says("a2", report(State.FAILED, 2, primary(2, "a1", "a2"))).silent("b1", true),
            new Leave(DB, 2, "")));
  }

  static Stream<Row> leaving() {
    ClusterState held = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    ClusterState leaving = apply(held, 0, new Switchover(DB, "a2", false));
    ClusterState revoked = apply(held, 0, new Revoke(DB, 1, "a2"));
    Seen before = new Seen(TERM, held.version());
    return Stream.of(
        row("not while it stops", leaving, holder("a1", State.STOPPING)),
        row("when it is out", leaving, s -> s, new Release(DB, 1)),
        row(
            "an old OUT is not believed",
            leaving,
            s -> s.says("a1", report(State.OUT, 0, secondary()), before)),
        row(
            "nor one of another term",
            leaving,
            s -> s.says("a1", report(State.OUT, 0, secondary()), new Seen(TERM - 1, 999))),
        row(
            "nor that it has not looked",
            leaving,
            s -> s.says("a1", report(State.UNKNOWN, 0, secondary()))),
        row(
            "a silent node has its lease",
            revoked,
            s -> holder("a1", State.IN).apply(s).silent("a1", false)),
        row(
            "until it is over",
            revoked,
            s -> holder("a1", State.IN).apply(s).silent("a1", true),
            new Release(DB, 1)),
        row("or it is switched off", revoked, s -> s.fenced("a1"), new Release(DB, 1)),
        row(
            "what cannot be stopped keeps others away",
            leaving,
            holder("a1", State.STUCK),
            new Wait(
                DB,
                "a1 cannot take it out of service: end there what is left of it, or switch it off")),
        row(
            "unless the end of its lease resets the machine",
            withDevice(leaving, "a1"),
            holder("a1", State.STUCK),
            new Revoke(DB, 1, "a2")),
        row(
            "to where it was to go",
            apply(leaving, 0, new Release(DB, 1)),
            s -> s,
            new Place(DB, "a2", 2, Set.of())));
  }

  static Stream<Row> retiring() {
    ClusterState near = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    ClusterState far = on(MANUAL, "a1", "a1", "b1");
    ClusterState lagging =
        apply(
            on(BY_ITSELF, "a1"),
            0,
            new MarkCopies(DB, VOLUME, new Mark(1, 1, 1), Set.of("a1"), Set.of("a2")));
    UnaryOperator<Seen3> in = holder("a1", State.IN);
    UnaryOperator<Seen3> alone = s -> in.apply(s).silent("a2", true).silent("b1", true);
    return Stream.of(
        row(
            "in order to another node",
            retired(near, "a1", Rest.STAYS),
            in,
            new Leave(DB, 1, "a2")),
        row("whatever the policy", retired(far, "a1", Rest.STAYS), in, new Leave(DB, 1, "b1")),
        row(
            "stays where no other can have it",
            retired(near, "a1", Rest.STAYS),
            alone,
            new Wait(DB, "a1 is retired; a2 is silent; b1 is silent")),
        row("or is stopped", retired(near, "a1", Rest.STOPS), alone, new Stop(DB)),
        row(
            "not to a copy that may lack something",
            retired(lagging, "a1", Rest.STAYS),
            in,
            new Wait(
                DB, "a1 is retired; b1 " + OUTDATED + "; a2 its copy of volume is asynchronous")),
        row(
            "not before this leader has heard all others",
            retired(near, "a1", Rest.STOPS),
            s -> in.apply(s).unheard("a2")),
        row("nothing of another node", retired(near, "a2", Rest.STOPS), in),
        row(
            "not in maintenance",
            apply(retired(near, "a1", Rest.STOPS), 0, new Maintain(Scope.NODE, "a1", true)),
            in),
        row(
            "a retired node gets nothing",
            apply(retired(near, "a2", Rest.STAYS), 0, new Leave(DB, 1, ""), new Release(DB, 1)),
            s -> s.silent("a1", true),
            new Place(DB, "b1", 2, Set.of())),
        row(
            "a silent one is failed over",
            retired(near, "a1", Rest.STAYS),
            s -> in.apply(s).silent("a1", false),
            new Revoke(DB, 1, "a2")));
  }

  private static ClusterState withDevice(ClusterState state, String name) {
    ClusterConfig now = state.config();
    Map<String, Node> nodes = new LinkedHashMap<>(now.nodes());
    Node of = nodes.get(name);
    nodes.put(
        name, new Node(of.site(), of.witness(), of.group(), of.paths(), of.api(), "/dev/watchdog"));
    return apply(
        state,
        0,
        new Configure(
            new ClusterConfig(now.cluster(), now.timing(), nodes, now.hierarchies()),
            state.configVersion()));
  }

  private static ClusterState retired(ClusterState state, String node, Rest rest) {
    return apply(state, 0, new Retire(node, rest));
  }

  @ParameterizedTest
  @MethodSource({"moving", "movingOn", "leaving", "retiring"})
  void table(Row row) {
    row.check();
  }

  @Test
  void nothingIsInterruptedForANodeThatIsSilent() {
    ClusterState state = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    Seen3 seen = holder("a1", State.IN).apply(new Seen3(state)).silent("b1", true);
    assertThat(seen.seen().refusal(new Switchover(DB, "a2", false))).isEmpty();
    assertThat(seen.seen().refusal(new Switchover(DB, "b1", false))).isEqualTo("b1 is silent");
  }

  /** Its controller has just been started. */
  @Test
  void theNodeThatAnOperatorNamesIsWaitedFor() {
    ClusterState state = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    state = apply(state, 0, new Stop(DB), new Release(DB, 1), new Start(DB, "b1", false));
    Seen3 seen = new Seen3(state).says("b1", report(State.UNKNOWN, 0, secondary()));
    assertThat(seen.decide()).containsExactly(new Wait(DB, "b1 has not looked yet at what it has"));
    assertThat(seen.says("b1", report(State.OUT, 0, secondary())).decide())
        .containsExactly(new Place(DB, "b1", 2, Set.of()));
    seen.silent("b1", true);
    assertThat(seen.decide()).containsExactly(new Place(DB, "a1", 2, Set.of()));
    assertThat(seen.seen().refusal(new Start(DB, "b1", false))).isEqualTo("b1 is silent");
    assertThat(seen.seen().refusal(new Start(DB, "", false))).isEmpty();
  }

  @Test
  void flappingIsStopped() {
    ClusterState state = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    state =
        apply(state, 0, new Leave(DB, 1, ""), new Release(DB, 1), new Place(DB, "a2", 2, Set.of()));
    state = apply(state, 5_000, new Leave(DB, 2, ""), new Release(DB, 2));
    assertThat(new Seen3(state).at(9_000).decide())
        .containsExactly(new Halt(DB, "it has failed over 2 times"));
    assertThat(new Seen3(state).at(3_600_000).decide())
        .containsExactly(new Place(DB, "a1", 3, Set.of()));
  }

  @Test
  void goesBackWhenThePreferredNodeIsInStep() {
    ClusterState state = on(GOES_BACK, "a2", "a1", "a2");
    assertThat(holder("a2", State.IN).apply(new Seen3(state)).decide())
        .containsExactly(new Leave(DB, 1, "a1"));
    assertThat(holder("a2", State.IN).apply(new Seen3(on(GOES_BACK, "a2", "a2", "b1"))).decide())
        .isEmpty();
    assertThat(holder("a2", State.IN).apply(new Seen3(on(BY_ITSELF, "a2", "a1", "a2"))).decide())
        .isEmpty();
  }

  @Test
  void doesNotGoBackToWhereItFailedShortlyBefore() {
    Policy patient =
        new Policy(
            3,
            600_000,
            Failover.AUTOMATIC,
            Failover.AUTOMATIC,
            600_000,
            Failback.WHEN_IN_STEP,
            3,
            3_600_000);
    ClusterState state = failedOver(on(patient, "a1", "a1", "a2"), "a1", "a2");
    Report well = report(State.IN, 2, primary(2, "a1", "a2"));
    assertThat(new Seen3(state).says("a2", well).at(599_999).decide()).isEmpty();
    assertThat(new Seen3(state).says("a2", well).at(600_000).decide())
        .containsExactly(new Leave(DB, 2, "a1"));
  }
}

package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.TERM;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.primary;
import static io.mgtm.ha.core.Clusters.report;
import static io.mgtm.ha.core.Clusters.secondary;
import static io.mgtm.ha.core.Clusters.state;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.Answer;
import io.mgtm.ha.core.ClusterCommand.Blame;
import io.mgtm.ha.core.ClusterCommand.Halt;
import io.mgtm.ha.core.ClusterCommand.Leave;
import io.mgtm.ha.core.ClusterCommand.Maintain;
import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Pend;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Release;
import io.mgtm.ha.core.ClusterCommand.Revoke;
import io.mgtm.ha.core.ClusterCommand.Scope;
import io.mgtm.ha.core.ClusterCommand.Silent;
import io.mgtm.ha.core.ClusterCommand.Start;
import io.mgtm.ha.core.ClusterCommand.Stop;
import io.mgtm.ha.core.ClusterCommand.Switchover;
import io.mgtm.ha.core.ClusterCommand.Unpend;
import io.mgtm.ha.core.ClusterCommand.Wait;
import io.mgtm.ha.core.Clusters.Seen3;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Policy.Failback;
import io.mgtm.ha.model.Policy.Failover;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DecisionsTest {
  private static final Policy BY_ITSELF = policy(Failover.AUTOMATIC, Failback.NEVER);
  private static final Policy MANUAL_FIRST = policy(Failover.MANUAL_FIRST, Failback.NEVER);
  private static final Policy MANUAL = policy(Failover.MANUAL, Failback.NEVER);
  private static final Policy GOES_BACK = policy(Failover.MANUAL_FIRST, Failback.WHEN_IN_STEP);

  private static Policy policy(Failover betweenSites, Failback failback) {
    return new Policy(
        3, 600_000, Failover.AUTOMATIC, betweenSites, 600_000, failback, 1, 3_600_000);
  }

  private static final String OUTDATED =
      "its copy of volume is Outdated: it lacks what was acknowledged since 1970-01-01T00:00:00Z";

  /** A situation, what is seen in it, and what is decided. */
  private record Row(
      String name, ClusterState state, UnaryOperator<Seen3> seen, List<ClusterCommand> decided) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static ClusterState on(Policy policy, String node, String... inSync) {
    ClusterState placed = apply(state(policy), 0, new Place(DB, node, 1, Set.of()));
    return inSync.length == 0
        ? placed
        : apply(placed, 0, new MarkCopies(DB, VOLUME, new Mark(1, 1, 1), Set.of(inSync), Set.of()));
  }

  private static UnaryOperator<Seen3> holder(String node, State said) {
    return seen -> seen.says(node, report(said, 1, primary(1, "a1", "a2", "b1")));
  }

  private static Row row(
      String name, ClusterState state, UnaryOperator<Seen3> seen, ClusterCommand... decided) {
    return new Row(name, state, seen, List.of(decided));
  }

  static Stream<Row> placing() {
    ClusterState begin = state(BY_ITSELF);
    ClusterState onlyA2 =
        apply(on(BY_ITSELF, "a2", "a2"), 0, new Leave(DB, 1, ""), new Release(DB, 1));
    return Stream.of(
        row("first on the preferred node", begin, s -> s, new Place(DB, "a1", 1, Set.of())),
        row(
            "nobody knows whose copy is newest",
            begin,
            s -> s.silent("a1", true),
            new Wait(
                DB,
                "a1 is silent; a2 nobody knows yet whose copy of volume is the newest; b1 nobody"
                    + " knows yet whose copy of volume is the newest")),
        row(
            "an operator knows it",
            apply(begin, 0, new Start(DB, "a2", false)),
            s -> s.silent("a1", true),
            new Place(DB, "a2", 1, Set.of())),
        row("not when stopped", apply(begin, 0, new Stop(DB)), s -> s),
        row("not when halted", apply(begin, 0, new Halt(DB, "too often")), s -> s),
        row(
            "an outdated copy waits",
            onlyA2,
            s -> s.silent("a2", true),
            new Wait(DB, "a1 " + OUTDATED + "; a2 is silent; b1 " + OUTDATED)),
        row(
            "an outdated copy with its loss accepted",
            apply(onlyA2, 0, new Start(DB, "a1", true)),
            s -> s.silent("a2", true),
            new Place(DB, "a1", 2, Set.of(VOLUME))),
        row(
            "a copy that nobody knows with its loss accepted",
            apply(begin, 0, new Start(DB, "a2", true)),
            s -> s.silent("a1", true),
            new Place(DB, "a2", 1, Set.of(VOLUME))),
        row(
            "nothing is lost by a copy that has everything",
            apply(onlyA2, 0, new Start(DB, "a2", true)),
            s -> s,
            new Place(DB, "a2", 2, Set.of())),
        row(
            "never an inconsistent copy",
            apply(onlyA2, 0, new Start(DB, "a1", true), new Wait(DB, WAITS)),
            s ->
                s.silent("a2", true)
                    .says(
                        "a1",
                        report(
                            State.OUT,
                            0,
                            new CopyReport("Inconsistent", null, Set.of(), Set.of())))));
  }

  static Stream<Row> passingOver() {
    ClusterState known = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    ClusterState out = apply(known, 0, new Leave(DB, 1, ""), new Release(DB, 1));
    return Stream.of(
        row(
            "not on a node that has not obeyed this leader",
            out,
            s -> s.says("a1", report(State.OUT, 0, secondary()), new Seen(TERM - 1, 99)),
            new Place(DB, "a2", 2, Set.of())),
        row(
            "not on a node that has not looked",
            out,
            s -> s.says("a1", report(State.UNKNOWN, 0, secondary())),
            new Place(DB, "a2", 2, Set.of())),
        row(
            "not on a node in maintenance",
            apply(out, 0, new Maintain(Scope.NODE, "a1", true)),
            s -> s,
            new Place(DB, "a2", 2, Set.of())),
        row(
            "not where it has failed",
            apply(
                known,
                0,
                new Blame(DB, 1, "postgres", "does not answer"),
                new Leave(DB, 1, ""),
                new Release(DB, 1)),
            s -> s,
            new Place(DB, "a2", 2, Set.of())),
        row(
            "again where it failed long ago",
            apply(
                known,
                0,
                new Blame(DB, 1, "postgres", "does not answer"),
                new Leave(DB, 1, ""),
                new Release(DB, 1)),
            s -> s.at(600_000),
            new Place(DB, "a1", 2, Set.of())));
  }

  private static final String WAITS =
      "a1 its copy of volume is Inconsistent by its own word; a2 is silent; b1 " + OUTDATED;

  static Stream<Row> moving() {
    ClusterState near = on(BY_ITSELF, "a1", "a1", "a2", "b1");
    ClusterState far = on(MANUAL_FIRST, "a1", "a1", "b1");
    ClusterState pending = apply(far, 0, new Pend(DB, 1, "b1", 600_000));
    ClusterState never = on(MANUAL, "a1", "a1", "b1");
    ClusterState blamed = apply(near, 0, new Blame(DB, 1, "postgres", "does not answer"));
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
            new Blame(DB, 1, "postgres", "does not answer")),
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

  static Stream<Row> movingOn() {
    ClusterState movedAway =
        apply(
            on(BY_ITSELF, "a1", "a1", "a2"),
            0,
            new Blame(DB, 1, "postgres", "does not answer"),
            new Leave(DB, 1, "a2"),
            new Release(DB, 1),
            new Place(DB, "a2", 2, Set.of()),
            new MarkCopies(DB, VOLUME, new Mark(2, 1, 1), Set.of("a1"), Set.of()));
    return Stream.of(
        row(
            "back to where it failed, when the node that took it over has died",
            movedAway,
            s -> s.silent("a2", false).silent("b1", true),
            new Revoke(DB, 2, "a1")),
        row(
            "but not when it failed there too",
            apply(movedAway, 0, new Blame(DB, 2, "postgres", "does not answer")),
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
            "what cannot be stopped loses its lease",
            leaving,
            holder("a1", State.STUCK),
            new Revoke(DB, 1, "a2")),
        row(
            "to where it was to go",
            apply(leaving, 0, new Release(DB, 1)),
            s -> s,
            new Place(DB, "a2", 2, Set.of())));
  }

  @ParameterizedTest
  @MethodSource({"placing", "passingOver", "moving", "movingOn", "leaving"})
  void table(Row row) {
    List<ClusterCommand> decided = row.seen().apply(new Seen3(row.state())).decide();
    assertThat(decided).isEqualTo(row.decided());
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
    ClusterState state =
        apply(
            on(patient, "a1", "a1", "a2"),
            0,
            new Blame(DB, 1, "postgres", "does not answer"),
            new Leave(DB, 1, "a2"),
            new Release(DB, 1),
            new Place(DB, "a2", 2, Set.of()),
            new MarkCopies(DB, VOLUME, new Mark(2, 1, 1), Set.of("a1", "a2"), Set.of()));
    Report well = report(State.IN, 2, primary(2, "a1", "a2"));
    assertThat(new Seen3(state).says("a2", well).at(599_999).decide()).isEmpty();
    assertThat(new Seen3(state).says("a2", well).at(600_000).decide())
        .containsExactly(new Leave(DB, 2, "a1"));
  }

  @Test
  void primarysWordOnCopiesIsRecorded() {
    ClusterState state = on(BY_ITSELF, "a1", "a1", "a2");
    CopyReport alone = new CopyReport("UpToDate", new Mark(1, 1, 2), Set.of("a1"), Set.of("b1"));
    assertThat(new Seen3(state).says("a1", report(State.IN, 1, alone)).decide())
        .containsExactly(new MarkCopies(DB, VOLUME, new Mark(1, 1, 2), Set.of("a1"), Set.of("b1")));
    CopyReport late = new CopyReport("UpToDate", new Mark(1, 1, 0), Set.of("a1", "b1"), Set.of());
    assertThat(new Seen3(state).says("a1", report(State.IN, 1, late)).decide()).isEmpty();
  }

  /** It is told of none, so that it has gone on without no copy: the copy may be used. */
  @Test
  void wordOfAPrimaryThatHearsNobodyIsNotRecorded() {
    ClusterState state = on(BY_ITSELF, "a1", "a1", "a2");
    CopyReport alone = new CopyReport("UpToDate", new Mark(1, 1, 2), Set.of("a1"), Set.of());
    Seen3 seen = new Seen3(state).says("a1", report(State.IN, 1, alone)).silent("a1", false);
    assertThat(seen.decide()).containsExactly(new Revoke(DB, 1, "a2"));
    seen.says("a1", report(State.IN, 1, alone), new Seen(TERM - 1, 99));
    assertThat(seen.decide()).isEmpty();
    ClusterState revoked = apply(state, 0, new Revoke(DB, 1, "a2"));
    assertThat(
            revoked.refusal(new MarkCopies(DB, VOLUME, new Mark(1, 1, 2), Set.of("a1"), Set.of())))
        .isEqualTo("its primary does not have it any more");
  }

  @Test
  void copyThatFollowsIsUsedWhereNoOtherIsThereAndWhatIsLostIsSaid() {
    ClusterState state = apply(state(BY_ITSELF), 0, new Place(DB, "a1", 1, Set.of()));
    state =
        apply(
            state,
            0,
            new MarkCopies(DB, VOLUME, new Mark(1, 1, 1), Set.of("a1", "b1"), Set.of("a2")),
            new Leave(DB, 1, ""),
            new Release(DB, 1));
    Seen3 dead = new Seen3(state).silent("a1", true);
    assertThat(dead.decide()).containsExactly(new Place(DB, "b1", 2, Set.of()));
    Decision placed = Decisions.decide(dead.silent("b1", true).seen()).get(2);
    assertThat(placed.command()).isEqualTo(new Place(DB, "a2", 2, Set.of()));
    assertThat(placed.cause())
        .isEqualTo(
            "it was out of service, and a2 is the first that can have it; its copy of volume is"
                + " asynchronous: what had not reached it is lost, from the end of what was"
                + " acknowledged");
  }

  @Test
  void silenceOfANodeIsRecordedOnce() {
    ClusterState state = on(BY_ITSELF, "b1", "b1");
    Seen3 seen = holder("b1", State.IN).apply(new Seen3(state)).silent("a2", true);
    assertThat(Decisions.decide(seen.seen()))
        .extracting(Decision::command)
        .containsExactly(new Silent("a2", true));
    ClusterState recorded = apply(state, 0, new Silent("a2", true));
    seen = holder("b1", State.IN).apply(new Seen3(recorded)).silent("a2", true);
    assertThat(Decisions.decide(seen.seen())).isEmpty();
  }

  @Test
  void decisionsNameWhatTheyRestOn() {
    Seen3 seen =
        holder("a1", State.IN)
            .apply(new Seen3(on(BY_ITSELF, "a1", "a1", "a2")))
            .silent("a1", false);
    Decision decision =
        Decisions.decide(seen.seen()).stream()
            .filter(each -> each.command() instanceof Revoke)
            .findFirst()
            .orElseThrow();
    assertThat(decision.cause()).isEqualTo("a1 is silent on all paths");
    assertThat(decision.observations())
        .containsEntry("node a1", "heard 9000 ms ago on path 1, said IN ")
        .containsEntry("b1", OUTDATED);
  }
}

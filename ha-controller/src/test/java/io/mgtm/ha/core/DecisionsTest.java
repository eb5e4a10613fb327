package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.TERM;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.report;
import static io.mgtm.ha.core.Clusters.secondary;
import static io.mgtm.ha.core.Clusters.state;
import static io.mgtm.ha.core.DecisionRows.BY_ITSELF;
import static io.mgtm.ha.core.DecisionRows.OUTDATED;
import static io.mgtm.ha.core.DecisionRows.WAITS;
import static io.mgtm.ha.core.DecisionRows.holder;
import static io.mgtm.ha.core.DecisionRows.on;
import static io.mgtm.ha.core.DecisionRows.row;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.mgtm.ha.core.ClusterCommand.Blame;
import io.mgtm.ha.core.ClusterCommand.Halt;
import io.mgtm.ha.core.ClusterCommand.Leave;
import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Release;
import io.mgtm.ha.core.ClusterCommand.Revoke;
import io.mgtm.ha.core.ClusterCommand.Silent;
import io.mgtm.ha.core.ClusterCommand.Wait;
import io.mgtm.ha.core.Clusters.Seen3;
import io.mgtm.ha.core.DecisionRows.Row;
import io.mgtm.ha.core.OperatorCommand.Maintain;
import io.mgtm.ha.core.OperatorCommand.Scope;
import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.Report.State;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DecisionsTest {
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
                new Blame(DB, 1, "postgres", "does not answer", true),
                new Leave(DB, 1, ""),
                new Release(DB, 1)),
            s -> s,
            new Place(DB, "a2", 2, Set.of())),
        row(
            "again where it failed long ago",
            apply(
                known,
                0,
                new Blame(DB, 1, "postgres", "does not answer", true),
                new Leave(DB, 1, ""),
                new Release(DB, 1)),
            s -> s.at(600_000),
            new Place(DB, "a1", 2, Set.of())));
  }

  @ParameterizedTest
  @MethodSource({"placing", "passingOver"})
  void table(Row row) {
    row.check();
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
    // As a leader that has just begun sees it.
    assertThat(Decisions.decide(seen.unheard("a2").seen())).isEmpty();
    assertThat(Decisions.decide(holder("b1", State.IN).apply(new Seen3(recorded)).seen()))
        .extracting(Decision::command)
        .containsExactly(new Silent("a2", false));
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

  @Test
  void aFailedStopSaysWhyWithoutFiguresThatChange() {
    Report stuck =
        new Report(
            State.STUCK,
            0,
            0,
            "postgres",
            "had not ended after 1999 ms",
            false,
            Map.of(),
            Map.of(),
            Map.of());
    assertThat(
            new Seen3(state(BY_ITSELF))
                .silent("a1", true)
                .silent("b1", true)
                .says("a2", stuck)
                .decide())
        .singleElement(as(type(Wait.class)))
        .extracting(Wait::reason, as(STRING))
        .contains("a2 has not taken it out of service: postgres: had not ended after its time");
  }
}

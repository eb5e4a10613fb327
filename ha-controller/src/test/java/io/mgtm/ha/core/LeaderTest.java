package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.Clusters.primary;
import static io.mgtm.ha.core.Clusters.report;
import static io.mgtm.ha.core.Clusters.secondary;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.Fenced;
import io.mgtm.ha.core.ClusterCommand.Lead;
import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Release;
import io.mgtm.ha.core.ClusterCommand.Revoke;
import io.mgtm.ha.core.ClusterCommand.Silent;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Timing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeaderTest implements LeaderEffects {
  private static final long TERM = 8;

  private final List<Batch> batches = new ArrayList<>();
  private final List<Grant> grants = new ArrayList<>();
  private final List<String> fenced = new ArrayList<>();
  private final List<Long> ended = new ArrayList<>();
  private final Map<Long, Reply> replies = new LinkedHashMap<>();
  private long readIndex;
  private ClusterState appended;
  private long now = 1_000;
  private long seq;
  private final Leader leader = new Leader("b1", this);

  @Override
  public void append(Batch batch, ClusterState after) {
    batches.add(batch);
    appended = after;
  }

  @Override
  public long confirm() {
    readIndex++;
    return readIndex;
  }

  @Override
  public void send(Grant grant) {
    grants.add(grant);
  }

  @Override
  public void reply(long request, Reply reply) {
    replies.put(request, reply);
  }

  @Override
  public void fence(long request, String node) {
    fenced.add(node + " " + request);
  }

  @Override
  public void endFence(long request) {
    ended.add(request);
  }

  private static ClusterState start() {
    return apply(ClusterState.EMPTY, 0, new Configure(Clusters.config(Policy.defaults()), 0));
  }

  private void lead(ClusterState state) {
    leader.leading(TERM, state, now, 0);
    leader.committed(now, 0);
  }

  private List<ClusterCommand> newest() {
    return batches.get(batches.size() - 1).decisions().stream().map(Decision::command).toList();
  }

  private void heard(String node, Report report, long answered) {
    seq++;
    Seen seen = answered > 0 ? new Seen(TERM, appended.version()) : Seen.NOTHING;
    leader.heard(
        new Heartbeat("test", node, 1, seq, now - 5, seen, answered, Map.of(DB, report), null),
        "1",
        now);
  }

  private void confirms() {
    leader.confirmed(readIndex, now);
  }

  private void allOut() {
    for (String node : List.of("a1", "a2", "b1")) {
      heard(node, report(State.OUT, 0, secondary()), 1);
    }
  }

  @Test
  void grantsNothingBeforeItsTermHasBegun() {
    leader.leading(TERM, start(), now, 0);
    assertThat(newest()).containsExactly(new Lead(TERM, "b1"));
    heard("a1", report(State.OUT, 0, secondary()), 0);
    confirms();
    assertThat(grants).isEmpty();
    leader.committed(now, 0);
    heard("a1", report(State.OUT, 0, secondary()), 0);
    confirms();
    assertThat(grants).hasSize(1);
  }

  @Test
  void grantsOnlyWhatIsConfirmedAndCommitted() {
    lead(start());
    allOut();
    now++;
    leader.tick(now, 0);
    assertThat(newest()).containsExactly(new Place(DB, "a1", 1, Set.of()));
    assertThat(grants).isEmpty();
    confirms();
    assertThat(grants).hasSize(3).allMatch(grant -> grant.orders().isEmpty());
    leader.committed(now, 0);
    heard("a1", report(State.OUT, 0, secondary()), 1);
    assertThat(grants).hasSize(3);
    confirms();
    Grant grant = grants.get(3);
    assertThat(grant.orders().get(DB).run()).isTrue();
    assertThat(grant.sentAt()).isEqualTo(now - 5);
    assertThat(grant.seen()).isEqualTo(new Seen(TERM, appended.version()));
  }

  @Test
  void aNodeThatCountsLowerThanBeforeIsToldAndNotHeard() {
    lead(start());
    heard("a1", report(State.OUT, 0, secondary()), 0);
    now += Timing.defaults().leaseOverMs() + 1;
    leader.heard(new Heartbeat("test", "a1", 0, 9, 0, Seen.NOTHING, 0, Map.of(), null), "1", now);
    assertThat(grants)
        .containsExactly(Grant.overtaken("a1", 1, new Seen(TERM, appended.version())));
    assertThat(leader.views(now).get("a1").paths().get("1")).isPositive();
  }

  @Test
  void waitsForTheLeaseOfASilentNode() {
    servesOnA1();
    long granted = now;
    Timing timing = Timing.defaults();
    while (now < granted + timing.leaseOverMs() + 500) {
      now += 250;
      for (String node : List.of("a2", "b1")) {
        heard(node, report(State.OUT, 0, secondary()), seq);
      }
      confirms();
      leader.tick(now, 0);
      if (now < granted + timing.leaseOverMs()) {
        assertThat(newest()).noneMatch(command -> command instanceof Release);
      }
      leader.committed(now, 0);
    }
    assertThat(batches.stream().flatMap(batch -> batch.decisions().stream()))
        .extracting(Decision::command)
        .contains(new Revoke(DB, 1, "a2"), new Release(DB, 1));
    assertThat(appended.placements().get(DB).node()).isEqualTo("a2");
    assertThat(fenced).containsExactly("a1 1");
  }

  @Test
  void countsFromItsOwnElection() {
    ClusterState held =
        apply(
            start(),
            0,
            new Lead(7, "a1"),
            new Place(DB, "a1", 1, Set.of()),
            new Revoke(DB, 1, "a2"));
    lead(held);
    long over = now + Timing.defaults().leaseOverMs();
    while (now + 250 < over) {
      now += 250;
      leader.tick(now, 0);
      leader.committed(now, 0);
    }
    assertThat(appended.placements().get(DB).node()).isEqualTo("a1");
    now = over;
    leader.tick(now, 0);
    assertThat(newest()).contains(new Release(DB, 1));
  }

  @Test
  void operatorIsAnsweredWhenItIsCommitted() {
    lead(start());
    leader.asked(1, "ann", new Stop(DB), now, 0);
    assertThat(replies).isEmpty();
    leader.asked(2, "ann", new Start("mail", "", false), now, 0);
    leader.committed(now, 0);
    assertThat(replies.get(1L).outcome()).isEqualTo(Outcome.DONE);
    assertThat(replies.get(2L)).isEqualTo(new Reply(Outcome.REFUSED, "no hierarchy is named mail"));
    assertThat(appended.events().get(appended.events().size() - 1).by()).isEqualTo("ann");
  }

  @Test
  void deposedLeaderLeavesCommandsInDoubt() {
    leader.asked(1, "ann", new Stop(DB), now, 0);
    assertThat(replies.get(1L).outcome()).isEqualTo(Outcome.NOT_LEADING);
    lead(start());
    leader.asked(2, "ann", new Stop(DB), now, 0);
    leader.asked(3, "ann", new Start(DB, "", false), now, 0);
    leader.following();
    assertThat(replies.get(2L).outcome()).isEqualTo(Outcome.IN_DOUBT);
    assertThat(replies.get(3L).outcome()).isEqualTo(Outcome.NOT_LEADING);
    confirms();
    assertThat(grants).isEmpty();
  }

  @Test
  void queueOfOperatorsIsBounded() {
    lead(start());
    for (int i = 0; i < 80; i++) {
      leader.asked(i, "ann", new Stop(DB), now, 0);
    }
    assertThat(replies.get(79L).outcome()).isEqualTo(Outcome.REFUSED);
  }

  @Test
  void leaderThatStoodStillTakesNobodyForSilent() {
    lead(start());
    allOut();
    now++;
    leader.tick(now, 0);
    leader.committed(now, 0);
    int before = batches.size();
    now += 60_000;
    leader.tick(now, 0);
    assertThat(batches).hasSize(before);
  }

  /** It sends no heartbeats: the log alone hears it. */
  @Test
  void witnessIsSilentOnceItWasNotConnectedForALease() {
    ClusterConfig config = Clusters.config(Policy.defaults());
    Map<String, Node> nodes = new LinkedHashMap<>(config.nodes());
    nodes.put("w", new Node("", true, null, List.of(), null, ""));
    config = new ClusterConfig("test", config.timing(), nodes, config.hierarchies());
    lead(apply(ClusterState.EMPTY, 0, new Configure(config, 0)));
    record Row(List<String> connected, List<Silent> told) {}
    for (Row row :
        List.of(
            new Row(List.of("b1", "w"), List.of()),
            new Row(List.of("b1"), List.of(new Silent("w", true))),
            new Row(List.of("b1"), List.of()),
            new Row(List.of("b1", "w"), List.of(new Silent("w", false))),
            new Row(List.of("b1", "w"), List.of()))) {
      int before = batches.size();
      for (int i = 0; i < 40; i++) {
        leader.connected(row.connected(), now + 250);
        othersGoOn();
      }
      assertThat(batches.subList(before, batches.size()))
          .flatExtracting(Batch::decisions)
          .extracting(Decision::command)
          .filteredOn(command -> command.subject().equals("w"))
          .containsExactlyElementsOf(row.told());
    }
  }

  private void othersGoOn() {
    now += 250;
    for (String node : List.of("a2", "b1")) {
      heard(node, report(State.OUT, 0, secondary()), seq);
    }
    confirms();
    leader.tick(now, 0);
    leader.committed(now, 0);
  }

  private void servesOnA1() {
    lead(start());
    allOut();
    now++;
    leader.tick(now, 0);
    leader.committed(now, 0);
    heard("a1", report(State.IN, 1, primary(1, "a1", "a2")), 1);
    confirms();
  }

  /** a1, which has it in service, is silent until an agent shall switch it off. */
  private void fences() {
    servesOnA1();
    for (int i = 0; i < 20 && fenced.isEmpty(); i++) {
      othersGoOn();
    }
    assertThat(fenced).containsExactly("a1 1");
  }

  private static FenceAnswer off(long request) {
    return new FenceAnswer(request, "a1", true, "fence_x in 20 ms");
  }

  @Test
  void nodeThatIsSwitchedOffIsOutBeforeItsLeaseIsOver() {
    fences();
    leader.fenced(off(1), now, 0);
    assertThat(newest())
        .containsExactly(new Fenced("a1", true, true, "fence_x in 20 ms"), new Release(DB, 1));
    assertThat(batches.get(batches.size() - 1).decisions().get(1).cause())
        .isEqualTo("a1 has been switched off by fence_x in 20 ms");
  }

  @Test
  void agentThatFailsChangesNothing() {
    fences();
    leader.fenced(new FenceAnswer(1, "a1", false, "fence_x: no answer"), now, 0);
    assertThat(newest()).containsExactly(new Fenced("a1", false, true, "fence_x: no answer"));
    leader.committed(now, 0);
    othersGoOn();
    assertThat(appended.placements().get(DB).node()).isEqualTo("a1");
    for (int i = 0; i < 8; i++) {
      othersGoOn();
    }
    assertThat(appended.placements().get(DB).node()).isEqualTo("a2");
    assertThat(fenced).hasSize(1);
  }

  @Test
  void nodeThatIsHeardAgainIsNotTakenForSwitchedOff() {
    fences();
    heard("a1", report(State.IN, 1, primary(1, "a1", "a2")), 1);
    assertThat(ended).containsExactly(1L);
    leader.fenced(off(1), now, 0);
    assertThat(newest()).containsExactly(new Fenced("a1", true, false, "fence_x in 20 ms"));
  }

  @Test
  void nodeThatIsHeardAfterwardsIsNoLongerTakenForSwitchedOff() {
    fences();
    leader.asked(1, "ann", new Stop(DB), now, 0);
    leader.fenced(off(1), now, 0);
    heard("a1", report(State.UNKNOWN, 0, secondary()), 0);
    leader.committed(now, 0);
    assertThat(newest()).noneMatch(command -> command instanceof Release);
  }

  @Test
  void answerToAFormerTermsRequestDoesNotCount() {
    fences();
    leader.following();
    assertThat(ended).containsExactly(1L);
    leader.leading(TERM + 1, appended, now, 0);
    leader.committed(now, 0);
    leader.fenced(off(1), now, 0);
    leader.committed(now, 0);
    assertThat(newest())
        .contains(new Fenced("a1", true, false, "fence_x in 20 ms"))
        .noneMatch(command -> command instanceof Release);
  }

  @Test
  void answerDoesNotCountForWhatIsPlacedOnTheNodeLater() {
    ClusterState held = apply(start(), 0, new Lead(7, "b1"), new Place(DB, "a1", 1, Set.of()));
    ClusterState revoked = apply(held, 0, new Revoke(DB, 1, "a1"));
    ClusterState again = apply(revoked, 0, new Release(DB, 1), new Place(DB, "a1", 2, Set.of()));
    Fences fences = new Fences(this);
    Contact contact = new Contact();
    fences.ask(revoked.placements().get(DB), contact, revoked.placements());
    fences.answered(off(1), contact);
    assertThat(Fences.counting(contact, revoked.placements())).containsOnlyKeys(DB);
    assertThat(Fences.counting(contact, again.placements())).isEmpty();
  }

  @Test
  void leaderThatTheLogDoesNotConfirmHasNobodySwitchedOff() {
    lead(
        apply(
            start(),
            0,
            new Lead(7, "a1"),
            new Place(DB, "a1", 1, Set.of()),
            new Revoke(DB, 1, "a2")));
    for (int i = 0; i < 20; i++) {
      now += 250;
      heard("b1", report(State.OUT, 0, secondary()), 1);
      leader.tick(now, 0);
    }
    assertThat(fenced).isEmpty();
  }
}

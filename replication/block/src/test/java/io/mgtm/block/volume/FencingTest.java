package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A primary that lost a replica, and a cluster that answers when the test does. */
class FencingTest {
  private static final int TURNS_MAX = 20_000;
  private static final int QUIET_TURNS = 500;

  private ModelWorld world;
  private ModelNode source;
  private ModelNode target;

  /** A primary whose {@code nodes - 1} replicas are up to date. */
  private void begin(LinkMode mode, int nodes) {
    for (long seed = 0; world == null; seed += 3) {
      ModelWorld one = new ModelWorld(seed, ModelFault.NONE, true);
      boolean fits = one.mode == mode && one.nodes.size() == nodes && !one.isCascade();
      world = fits ? one : null;
    }
    source = world.nodes.get(0);
    target = world.nodes.get(1);
    world.promotions.backupReturned = true; // none returns here
    source.core.fencing().require();
    until(() -> source.core.view().links().stream().allMatch(FencingTest::isUpToDate));
  }

  private static boolean isUpToDate(VolumeView.Link link) {
    return link.phase() == LinkPhase.UP_TO_DATE;
  }

  private boolean turn() {
    world.completeSomething();
    world.deliverSomething();
    world.tickSomeone();
    return true;
  }

  private void until(BooleanSupplier condition) {
    for (int turn = 0; turn < TURNS_MAX; turn++) {
      if (condition.getAsBoolean()) {
        return;
      }
      turn();
    }
    throw new AssertionError("it does not come about\n" + world.trace());
  }

  private long write() {
    long generation = source.core.state().generations().current();
    long id = world.history.issued(source.index, generation, 0, 1);
    source.core.submit(new Change().write(0, 1, true, id).context(id));
    return id;
  }

  private Fencing.Waiting waiting() {
    return source.core.fencing().waiting();
  }

  private String token() {
    return waiting().request().token();
  }

  private void assertHeld(long id) {
    for (int i = 0; i < QUIET_TURNS; i++) {
      turn();
      assertThat(world.history.isDurable(id)).isFalse();
    }
  }

  @Test
  void aWriteWaitsUntilTheLostReplicaIsFenced() {
    begin(LinkMode.SYNC, 2);
    long underWay = write();
    world.kill(target, false);
    until(() -> waiting() != null);
    long next = write();
    assertThat(waiting().request().lost()).containsExactly("n0-n1");
    assertThat(waiting().request().inSync()).isEmpty();
    source.core.fencing().attempted("0", null);
    assertThat(source.core.fencing().confirm("0")).contains("is not that of the fence");
    source.core.fencing().attempted(token(), "no quorum");
    assertThat(waiting().attempts()).isOne();
    assertThat(waiting().reason()).isEqualTo("no quorum");
    assertHeld(underWay);
    String token = token();
    source.core.fencing().attempted(token, null);
    until(() -> world.history.isDurable(underWay) && world.history.isDurable(next));
    assertThat(waiting()).isNull();
    assertThat(source.core.state().generations().current()).isEqualTo(Long.parseLong(token, 16));
    assertThat(source.core.fencing().confirm(token)).contains("waits for no fence");
    long later = write();
    until(() -> world.history.isDurable(later));
  }

  @Test
  void theWaitEndsWhenTheReplicaIsInSyncAgain() {
    begin(LinkMode.SYNC, 2);
    Generations before = source.core.state().generations();
    world.kill(target, false);
    until(() -> source.core.view().link(0).phase() == LinkPhase.DOWN);
    long id = write();
    until(() -> waiting() != null);
    target.start();
    until(() -> world.history.isDurable(id));
    assertThat(waiting()).isNull();
    assertThat(target.content()[0]).isEqualTo(id);
    assertThat(source.core.state().generations()).isEqualTo(before);
  }

  @Test
  void anotherReplicaThatIsLostMeanwhileIsAskedForToo() {
    begin(LinkMode.SYNC, 3);
    world.kill(target, false);
    until(() -> source.core.view().link(0).phase() == LinkPhase.DOWN);
    long id = write();
    until(() -> waiting() != null);
    assertThat(waiting().request().inSync()).containsExactly("n0-n2");
    String first = token();
    world.kill(world.nodes.get(2), false);
    until(() -> waiting().request().lost().size() == 2);
    assertThat(source.core.fencing().confirm(first)).contains("other copies may be lost");
    assertHeld(id);
    assertThat(source.core.fencing().confirm(token())).isNull();
    until(() -> world.history.isDurable(id));
  }

  @Test
  void whoIsPromotedAgainAsksAgain() {
    begin(LinkMode.SYNC, 2);
    world.kill(target, false);
    until(() -> source.core.view().link(0).phase() == LinkPhase.DOWN);
    write();
    until(() -> waiting() != null);
    source.core.fencing().attempted(token(), null);
    List<String> answers = new ArrayList<>();
    source.core.administration().demote(false, answers::add);
    until(() -> answers.size() == 1);
    source.core.administration().promote(Grounds.TESTIMONY, List.of(), answers::add);
    until(() -> answers.size() == 2);
    assertThat(answers).containsOnlyNulls();
    long id = write();
    until(() -> waiting() != null);
    assertHeld(id);
  }

  @Test
  void aPrimaryThatIsDemotedWaitsForNobody() {
    begin(LinkMode.SYNC, 2);
    world.kill(target, false);
    until(() -> source.core.view().link(0).phase() == LinkPhase.DOWN);
    long id = write();
    until(() -> waiting() != null);
    List<String> answers = new ArrayList<>();
    source.core.administration().demote(false, answers::add);
    until(() -> !answers.isEmpty());
    assertThat(answers).containsOnlyNulls();
    assertThat(waiting()).isNull();
    assertThat(source.core.state().role()).isEqualTo(Role.SECONDARY);
    assertHeld(id);
    assertThat(world.trace()).contains("n0 answers " + id + " with " + Errno.ESHUTDOWN);
  }

  @Test
  void anAsynchronousReplicaIsNotWaitedFor() {
    begin(LinkMode.ASYNC, 2);
    assertThat(source.core.view().link(0).inSync()).isFalse();
    world.kill(target, false);
    until(() -> source.core.view().link(0).phase() == LinkPhase.DOWN);
    long id = write();
    until(() -> world.history.isDurable(id));
    assertThat(waiting()).isNull();
  }

  @Test
  void theLogHasOneLineAMinute() {
    begin(LinkMode.SYNC, 2);
    world.kill(target, false);
    until(() -> source.core.view().link(0).phase() == LinkPhase.DOWN);
    write();
    until(() -> waiting() != null);
    long now = source.core.nowMs();
    for (int second = 0; second < 150; second++) {
      source.core.tick(now + 1000L * second);
      source.core.fencing().attempted(token(), "no quorum");
    }
    assertThat(world.trace().lines().filter(line -> line.contains("are suspended"))).hasSize(3);
  }
}

package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.node.connection.GatewayCommands;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.LinkEntries;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a leader of mode lazy does beyond that of others; the log and the batches are the test's.
 */
class LazyLeaderTest extends LeaderHarness {
  LazyLeaderTest() {
    log.acknowledgesEarly = true;
    engine = engine();
  }

  private void attach(RecordingPeer peer, boolean fresh) {
    engine.submit(new LinkWork.Attach(peer, ONE, fresh, false));
    settle();
  }

  private void begin(RecordingPeer peer, long number) {
    send(peer, ONE, number, begin(ONE));
  }

  private void serveOne(RecordingPeer peer) {
    engine.leading();
    attach(peer, true);
    peer.told.clear();
  }

  @Test
  void aReplyComesBehindTheEntriesThatItRestsOn() {
    serveOne(p1);
    log.stable = log.lastIndex();
    begin(p1, 1);
    settle();
    assertThat(p1.told).containsExactly("entries 3 to 3", "1:S");
    begin(p1, 2);
    log.stable = log.lastIndex();
    begin(p1, 3);
    settle();
    assertThat(p1.told).containsExactly("entries 3 to 3", "1:S", "entries 4 to 4", "2:S", "3:S");
    log.stable = Long.MAX_VALUE;
    begin(p1, 4);
    settle();
    assertThat(p1.told).endsWith("4:S").doesNotContain("entries 5 to 5");
  }

  @Test
  void whatALeaderAloneHasIsGivenToGatewaysThoughNobodyWaitsForIt() {
    p1.own = true;
    serveOne(p1);
    log.shared = log.lastIndex();
    begin(p1, 1);
    settle();
    assertThat(p1.told).containsExactly("entries 3 to 3", "1:S");
  }

  @Test
  void theNodesOwnGatewayWaitsUntilItsEntriesAreStable() {
    p1.own = true;
    serveOne(p1);
    log.stable = log.lastIndex();
    begin(p1, 1);
    settle();
    assertThat(p1.told).isEmpty();
    assertThat(engine.pendingReplies()).isEqualTo(1);
    log.stable = log.lastIndex();
    engine.release();
    assertThat(p1.told).containsExactly("1:S");
  }

  @Test
  void aLeaderThatStoodStillHoldsItsReplies() {
    serveOne(p1);
    begin(p1, 1);
    batch();
    log.commitAll();
    log.mayAnswer.add(false);
    engine.release();
    assertThat(p1.told).isEmpty();
    engine.release();
    assertThat(p1.told).containsExactly("1:S");
  }

  @Test
  void repliesThatWereWrittenWhenALeaderStoodStillNeverLeave() {
    serveOne(p1);
    begin(p1, 1);
    batch();
    log.commitAll();
    log.mayAnswer.addAll(List.of(true, false));
    engine.release();
    assertThat(p1.told).containsExactly("aborted");
  }

  @Test
  void whatIsNotAGatewaysIsForced() {
    serveOne(p1);
    assertThat(log.durabilities).containsOnly(Durability.REQUIRED);
    begin(p1, 1);
    settle();
    assertThat(log.durabilities.get(log.durabilities.size() - 1)).isEqualTo(Durability.BUFFERED);
  }

  @Test
  void aGatewayThatKeepsNothingIsRefused() {
    p1.version = 1;
    engine.leading();
    attach(p1, true);
    assertThat(p1.told).containsExactly("refused PROTOCOL");
  }

  @Test
  void afterALossGatewaysAreHeardBeforeAnythingIsServed() {
    serveOne(p1);
    long here = machine.state().served().entries();
    begin(p1, 1);
    settle();
    byte[] lost = log.entries.remove(log.entries.size() - 1);
    GtmStateMachine without = log.replayed();
    machine.load(Pieces.of(java.nio.ByteBuffer.wrap(without.picture().bytes()))).run();
    engine.following();
    machine.entriesMayBeMissing(log.lastIndex() + 1, true);
    term = 2;
    engine.leading();
    assertThat(engine.isServing()).isFalse();
    assertThat(engine.takesGateways()).isTrue();
    p1.told.clear();
    engine.submit(new LinkWork.Present(p1, new LinkEntries(1, here + 1, here, List.of(lost))));
    attach(p1, false);
    assertThat(engine.isServing()).isTrue();
    assertThat(p1.told).containsExactly("attached 1");
    assertThat(machine.state().counts().nextGxid()).isEqualTo(10_001);
    assertThat(machine.state().served().term()).isEqualTo(2);
  }

  @Test
  void aGatewayThatWasStartedAnewIsNotTheOneThatIsWaitedFor() {
    serveOne(p1);
    begin(p1, 1);
    settle();
    log.entries.remove(log.entries.size() - 1);
    GtmStateMachine without = log.replayed();
    machine.load(Pieces.of(java.nio.ByteBuffer.wrap(without.picture().bytes()))).run();
    engine.following();
    machine.entriesMayBeMissing(log.lastIndex() + 1, true);
    term = 2;
    engine.leading();
    engine.submit(new LinkWork.Attach(p1, ONE + 1, true, false));
    settle();
    assertThat(engine.isServing()).as("what its former process was given is not known").isFalse();
    timers.forEach(Runnable::run);
    settle();
    assertThat(engine.isServing()).isTrue();
    assertThat(machine.state().counts().nextGxid()).isGreaterThan(10_000 + 131_000);
    assertThat(machine.state().hasSession(ONE)).isFalse();
  }

  @Test
  void whatALeaderAloneGaveMayBePresented() throws Exception {
    serveOne(p1);
    long here = machine.state().served().entries();
    int had = log.entries.size();
    log.shared = log.lastIndex();
    RecordingPeer p2 = new RecordingPeer("p2");
    engine.submit(new LinkWork.Attach(p2, TWO, true, false));
    settle();
    engine.submit(new LinkWork.Close(p2, TWO));
    settle();
    begin(p1, 1);
    settle();
    assertThat(p1.told).containsExactly("entries 3 to 5", "1:S");

    log.entries.subList(had, log.entries.size()).clear();
    log.shared = Long.MAX_VALUE;
    machine.load(Pieces.of(java.nio.ByteBuffer.wrap(log.replayed().picture().bytes()))).run();
    assertThat(machine.state().served().entries()).isEqualTo(here);
    engine.following();
    machine.entriesMayBeMissing(log.lastIndex() + 1, true);
    term = 2;
    engine.leading();
    for (LinkEntries kept : p1.given) {
      GatewayCommands.check(kept);
      engine.submit(new LinkWork.Present(p1, kept));
    }
    p1.told.clear();
    attach(p1, false);
    assertThat(p1.told).containsExactly("attached 1");
    assertThat(machine.state().counts().nextGxid()).isEqualTo(10_001);
  }

  @Test
  void theEntryThatBeginsATermIsNotLookedAt() throws Exception {
    List<byte[]> serve = List.of(new byte[] {1});
    GatewayCommands.check(new LinkEntries(1, LinkEntries.FIRST_OF_TERM, 0, serve));
    assertThatThrownBy(() -> GatewayCommands.check(new LinkEntries(1, 2, 0, serve)))
        .isInstanceOf(WireException.class);
  }

  @Test
  void aLeaderSaysWhereItIsBeforeItHearsGatewaysAndThatEntryIsNotCounted() {
    GtmState state = machine.state();
    state.beginEntry(1_000);
    state.apply(new TransactionCommand.StartGxids(10_000, 3));
    state.apply(new SessionCommand.ServeTerm(1, "g2"));
    state.apply(new SessionCommand.OpenGateway(ONE, "p1", GatewayKind.PROXY, true));
    state.entryDone();
    machine.entriesMayBeMissing(1, true);
    term = 2;
    engine.leading();
    assertThat(engine.isServing()).isFalse();
    assertThat(log.entries).hasSize(1);
    assertThat(machine.state().memberAddresses()).containsOnlyKeys("g1");
    assertThat(machine.state().served().entries()).isEqualTo(1);
  }

  @Test
  void whoeverDoesNotComeInTimeIsSkipped() {
    serveOne(p1);
    engine.following();
    machine.entriesMayBeMissing(log.lastIndex() + 1, true);
    term = 2;
    engine.leading();
    settle();
    assertThat(engine.isServing()).isFalse();
    timers.forEach(Runnable::run);
    settle();
    assertThat(engine.isServing()).isTrue();
    assertThat(machine.state().hasSession(ONE)).isFalse();
    assertThat(machine.state().counts().nextGxid()).isGreaterThan(10_000 + 131_000);
    p1.told.clear();
    attach(p1, false);
    assertThat(p1.told).containsExactly("refused SESSION_LOST");
  }
}

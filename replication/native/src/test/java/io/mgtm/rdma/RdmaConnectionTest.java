package io.mgtm.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.jni.Errno;
import java.net.InetSocketAddress;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a real device, or Soft-RoCE; skipped where there is none. */
class RdmaConnectionTest {

  private RdmaRig rig;

  @BeforeEach
  void open() throws RdmaException {
    rig = new RdmaRig();
  }

  @AfterEach
  void close() throws Exception {
    if (rig != null) {
      rig.close();
      assertThat(rig.clientPool.available()).isEqualTo(rig.clientPool.count());
      assertThat(rig.serverPool.available()).isEqualTo(rig.serverPool.count());
    }
  }

  @Test
  void tellsBothSidesWhatTheOtherGaveThem() throws Exception {
    rig.connect(0);
    assertThat(rig.near.state()).isEqualTo(RdmaState.CONNECTED);
    assertThat(rig.near.peerData()).containsExactly(5);
    assertThat(rig.onServer(rig.far::peerData)).containsExactly(1, 2, 3);
    assertThat(rig.domain.deviceName()).isNotEmpty();
  }

  @Test
  void messagesArriveInOrderWithTheirNumbers() throws Exception {
    rig.connect(4);
    AlignedBuffer buffer = rig.clientBuffer(77);
    rig.near.send(1, buffer, 0, 100);
    rig.near.sendImmediate(2, buffer, 0, RdmaRig.BYTES, -5);
    rig.near.signal(3, 99);
    buffer.release();
    Outcomes sent = new Outcomes();
    assertThat(rig.near.await(3, RdmaRig.SOON_NS, sent)).isEqualTo(3);
    assertThat(sent.all).allMatch(it -> it.work() == RdmaWork.SENT && it.error() == null);
    Outcomes got = new Outcomes();
    int count = rig.onServer(() -> rig.far.await(3, RdmaRig.SOON_NS, got));
    assertThat(count).isEqualTo(3);
    assertThat(got.all)
        .containsExactly(
            new Outcomes.Outcome(0, RdmaWork.RECEIVED, 100, 0, null),
            new Outcomes.Outcome(1, RdmaWork.RECEIVED_IMMEDIATE, RdmaRig.BYTES, -5, null),
            new Outcomes.Outcome(2, RdmaWork.RECEIVED_IMMEDIATE, 0, 99, null));
    assertThat(rig.serverPool.memory().getInt(0)).isNotZero();
  }

  @Test
  void aWriteLandsInThePeersMemory() throws Exception {
    rig.connect(1);
    AlignedBuffer buffer = rig.clientBuffer(0);
    buffer.bytes().put(8, (byte) 42);
    RemoteMemory memory = rig.serverMemory.remoteMemory();
    rig.near.writeImmediate(1, buffer, 8, 1, memory, 20 * RdmaRig.BYTES + 3, 7);
    buffer.release();
    assertThat(Outcomes.next(rig.near).error()).isNull();
    Outcomes.Outcome got = rig.onServer(() -> Outcomes.next(rig.far));
    assertThat(got).isEqualTo(new Outcomes.Outcome(0, RdmaWork.WRITTEN, 1, 7, null));
    assertThat(rig.serverPool.memory().get(20 * RdmaRig.BYTES + 3)).isEqualTo((byte) 42);
  }

  @Test
  void leavingIsHeardAndFlushesWhatIsPosted() throws Exception {
    rig.connect(3);
    rig.near.disconnect();
    assertThat(rig.near.state()).isEqualTo(RdmaState.DISCONNECTED);
    var flushed = rig.onServer(() -> Outcomes.drain(rig.far));
    assertThat(flushed).hasSize(3);
    assertThat(flushed).allMatch(it -> it.error().status() == WorkStatus.WR_FLUSH_ERR);
    assertThat(rig.far.state()).isEqualTo(RdmaState.DISCONNECTED);
    AlignedBuffer buffer = rig.clientBuffer(1);
    rig.near.send(1, buffer, 0, 1);
    buffer.release();
    assertThat(Outcomes.next(rig.near).error()).isNotNull();
  }

  @Test
  void aWriteToMemoryThatIsNotOpenFailsAndDoesNoHarm() throws Exception {
    rig.connect(1);
    RemoteMemory memory = rig.serverMemory.remoteMemory();
    RemoteMemory forged =
        new RemoteMemory(memory.address(), memory.lengthBytes(), memory.key() ^ 0xff00);
    AlignedBuffer buffer = rig.clientBuffer(1);
    rig.near.writeImmediate(1, buffer, 0, 4, forged, 0, 1);
    buffer.release();
    assertThat(Outcomes.next(rig.near).error().status()).isEqualTo(WorkStatus.REM_ACCESS_ERR);
    assertThat(rig.near.state()).isEqualTo(RdmaState.FAILED);
    assertThat(rig.serverPool.memory().getInt(0)).isZero();
  }

  @Test
  void aWaitEndsByWakeupAndByTime() throws Exception {
    rig.connect(0);
    assertThat(rig.near.await(1, 20_000_000, new Outcomes())).isZero();
    rig.near.wakeup();
    assertThat(rig.near.await(1, RdmaRig.SOON_NS, new Outcomes())).isZero();
    Future<Integer> waiting =
        rig.server.submit(() -> rig.far.await(1, RdmaRig.SOON_NS, new Outcomes()));
    rig.far.wakeup();
    assertThat(waiting.get(RdmaRig.SOON_MS / 2, TimeUnit.MILLISECONDS)).isZero();
    assertThat(rig.near.state()).isEqualTo(RdmaState.CONNECTED);
  }

  @Test
  void nobodyListeningIsAnError() throws Exception {
    InetSocketAddress address = rig.listener.localAddress();
    rig.listener.close();
    rig.near = RdmaConnector.prepare(rig.domain, address, rig.options(rig.clientMemory), 10_000);
    assertThatThrownBy(() -> rig.near.establish(new byte[0], 10_000))
        .isInstanceOfSatisfying(
            RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ECONNREFUSED));
    assertThat(rig.near.state()).isEqualTo(RdmaState.FAILED);
  }

  @Test
  void aRequestThatIsClosedIsRefused() throws Exception {
    Future<?> refusing =
        rig.server.submit(
            () -> {
              rig.listener.accept(rig.options(rig.serverMemory), 30_000).orElseThrow().close();
              return null;
            });
    rig.near =
        RdmaConnector.prepare(
            rig.domain, rig.listener.localAddress(), rig.options(rig.clientMemory), 10_000);
    assertThatThrownBy(() -> rig.near.establish(new byte[0], 10_000))
        .isInstanceOfSatisfying(
            RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ECONNREFUSED));
    refusing.get(180, TimeUnit.SECONDS);
  }

  @Test
  void closingTheListenerEndsItsWait() throws Exception {
    assertThat(rig.listener.accept(rig.options(rig.serverMemory), 20)).isEmpty();
    Future<?> waiting =
        rig.server.submit(() -> rig.listener.accept(rig.options(rig.serverMemory), 60_000));
    rig.listener.close();
    rig.listener.close();
    assertThatThrownBy(() -> waiting.get(180, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void misuseGivesExceptions() throws Exception {
    rig.connect(1);
    AlignedBuffer foreign = rig.serverPool.tryAcquire();
    AlignedBuffer own = rig.clientBuffer(1);
    RemoteMemory memory = rig.serverMemory.remoteMemory();
    RdmaConnection near = rig.near;
    assertThatThrownBy(() -> near.send(1, foreign, 0, 1)).hasMessageContaining("not made with");
    assertThatThrownBy(() -> near.send(1, own, 0, RdmaRig.BYTES + 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> near.send(1, own, -1, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> near.send(1, own, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> near.send(1, null, 0, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> near.writeImmediate(1, own, 0, 2, memory, memory.lengthBytes() - 1, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> near.await(0, 1, new Outcomes()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> near.establish(new byte[0], 1000))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> near.establish(new byte[56], 1000))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> rig.clientMemory.remoteMemory())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> rig.onServer(() -> near.poll(new Outcomes())))
        .hasMessageContaining("belongs to thread");
    assertThatThrownBy(() -> rig.far.close()).hasMessageContaining("belongs to thread");
    for (int i = 0; i < 8; i++) {
      near.signal(i, i);
    }
    assertThatThrownBy(() -> near.signal(9, 9)).hasMessageContaining("in flight");
    foreign.release();
    own.release();
    assertThatThrownBy(() -> near.send(1, own, 0, 1)).isInstanceOf(IllegalStateException.class);
    near.close();
    near.close();
    assertThatThrownBy(() -> near.poll(new Outcomes())).hasMessageContaining("closed");
    near.wakeup();
  }

  @Test
  void memoryAndDeviceStayUntilTheirConnectionIsClosed() throws Exception {
    rig.connect(1);
    rig.clientMemory.close();
    rig.serverMemory.close();
    rig.domain.close();
    AlignedBuffer buffer = rig.clientBuffer(1234);
    rig.near.send(1, buffer, 0, 4);
    buffer.release();
    assertThat(Outcomes.next(rig.near).error()).isNull();
    assertThat(rig.onServer(() -> Outcomes.next(rig.far)).bytes()).isEqualTo(4);
    assertThatThrownBy(() -> rig.domain.register(rig.clientPool, false))
        .isInstanceOf(IllegalStateException.class);
    InetSocketAddress address = rig.listener.localAddress();
    assertThatThrownBy(
            () -> RdmaConnector.prepare(rig.domain, address, rig.options(rig.clientMemory), 1000))
        .isInstanceOf(IllegalStateException.class);
  }
}

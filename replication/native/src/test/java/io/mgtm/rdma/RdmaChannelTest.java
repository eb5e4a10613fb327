package io.mgtm.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.flash.BufferPool;
import io.mgtm.jni.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** On a real device, or Soft-RoCE; skipped where there is none. */
class RdmaChannelTest {

  private static final int MESSAGES = 200;

  /** Sends numbered messages and checks those that come, answering each write with nothing. */
  private static final class Talker implements RdmaChannelHandler {
    private final RdmaChannel channel;
    private final BufferPool pool;
    private final List<AlignedBuffer> kept = new ArrayList<>();
    private final int keepMax;
    private int sent;
    private int confirmed;
    private int received;
    private int written;

    Talker(RdmaChannel channel, BufferPool pool, int keepMax) {
      this.channel = channel;
      this.pool = pool;
      this.keepMax = keepMax;
    }

    void talk(int toSend, int toReceive) throws RdmaException {
      long end = System.nanoTime() + 2 * RdmaRig.SOON_NS;
      while (confirmed < toSend || received + written < toReceive) {
        assertThat(System.nanoTime()).as("%d sent, %d received", sent, received).isLessThan(end);
        boolean more = sent < toSend;
        while (more) {
          more = sendNext() && sent < toSend;
        }
        channel.await(50_000_000, this);
        kept.forEach(AlignedBuffer::release);
        kept.clear();
      }
    }

    private boolean sendNext() {
      AlignedBuffer buffer = pool.tryAcquire();
      if (buffer == null) {
        return false;
      }
      buffer.bytes().putInt(0, sent);
      boolean asWrite = sent % 5 == 4 && channel.peerMemory().isPresent();
      boolean prepared =
          asWrite
              ? channel.tryWrite(sent, buffer, 0, 4, 4L * (sent % 100), sent)
              : channel.trySend(sent, buffer, 0, 4 + sent % 60);
      buffer.release();
      sent += prepared ? 1 : 0;
      return prepared;
    }

    @Override
    public void message(AlignedBuffer buffer, int length) {
      assertThat(buffer.bytes().getInt(0)).isEqualTo(received + written);
      assertThat(length).isEqualTo(4 + (received + written) % 60);
      received++;
      if (kept.size() < keepMax) {
        kept.add(buffer.retain());
      }
    }

    @Override
    public void written(int value, int length) {
      assertThat(value).isEqualTo(received + written);
      assertThat(length).isEqualTo(4);
      written++;
    }

    @Override
    public void sent(long tag, RdmaException error) {
      assertThat(error).isNull();
      assertThat(tag).isEqualTo(confirmed);
      confirmed++;
    }
  }

  @Test
  void bothSidesSendAllTheyHaveThroughASmallWindow() throws Exception {
    try (RdmaRig rig = new RdmaRig();
        BufferPool nearIn = BufferPool.of(12, RdmaRig.BYTES);
        BufferPool farIn = BufferPool.of(12, RdmaRig.BYTES);
        RegisteredPool nearReceives = rig.domain.register(nearIn, false);
        RegisteredPool farReceives = rig.domain.register(farIn, false)) {
      var farSetup =
          new RdmaChannel.Setup(
              8, farReceives, List.of(rig.serverMemory), Optional.of(rig.serverMemory));
      Future<Integer> far =
          rig.server.submit(
              () -> {
                try (RdmaChannel channel =
                    RdmaChannel.accept(rig.listener, farSetup, RdmaRig.SOON_MS).orElseThrow()) {
                  Talker talker = new Talker(channel, rig.serverPool, 12);
                  talker.talk(MESSAGES, MESSAGES);
                  talker.talk(MESSAGES + 1, MESSAGES);
                  return talker.written;
                }
              });
      var nearSetup =
          new RdmaChannel.Setup(8, nearReceives, List.of(rig.clientMemory), Optional.empty());
      try (RdmaChannel channel =
          RdmaChannel.connect(
              rig.domain, rig.listener.localAddress(), nearSetup, RdmaRig.SOON_MS)) {
        Talker talker = new Talker(channel, rig.clientPool, 0);
        talker.talk(MESSAGES, MESSAGES + 1);
        assertThat(far.get(180, TimeUnit.SECONDS)).isEqualTo(MESSAGES / 5);
        assertThat(talker.written).isZero();
        assertThatThrownBy(
                () -> {
                  while (true) {
                    channel.await(RdmaRig.SOON_NS, talker);
                  }
                })
            .isInstanceOf(RdmaException.class);
        assertThat(channel.state()).isEqualTo(RdmaState.DISCONNECTED);
      }
      assertThat(nearIn.available()).isEqualTo(nearIn.count());
      assertThat(farIn.available()).isEqualTo(farIn.count());
    }
  }

  @Test
  void sidesThatAreSetUpOtherwiseRefuseEachOther() throws Exception {
    try (RdmaRig rig = new RdmaRig()) {
      var farSetup = new RdmaChannel.Setup(8, rig.serverMemory, List.of(), Optional.empty());
      Future<?> far =
          rig.server.submit(() -> RdmaChannel.accept(rig.listener, farSetup, RdmaRig.SOON_MS));
      var nearSetup = new RdmaChannel.Setup(9, rig.clientMemory, List.of(), Optional.empty());
      assertThatThrownBy(
              () ->
                  RdmaChannel.connect(
                      rig.domain, rig.listener.localAddress(), nearSetup, RdmaRig.SOON_MS))
          .isInstanceOfSatisfying(
              RdmaException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ECONNREFUSED));
      assertThatThrownBy(() -> far.get(180, TimeUnit.SECONDS))
          .hasMessageContaining("EPROTO")
          .hasMessageContaining("window=9");
      assertThat(rig.clientPool.available()).isEqualTo(rig.clientPool.count());
      assertThat(rig.serverPool.available()).isEqualTo(rig.serverPool.count());
    }
  }
}

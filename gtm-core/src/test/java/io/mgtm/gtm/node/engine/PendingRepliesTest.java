package io.mgtm.gtm.node.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.link.RefusalCode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replies that wait for the log cost what they have in them, and are counted so. */
class PendingRepliesTest {
  private static final int OUTPUTS = 4_000;
  private static final int BUFFER_BYTES = 16 * 1024;
  private static final long MEMORY_BYTES_MAX = 8L << 20;

  private final PooledByteBufAllocator pool = new PooledByteBufAllocator(true);
  private final RecordingPeer peer = new RecordingPeer("p1", () -> pool.directBuffer(BUFFER_BYTES));
  private final PendingReplies pending =
      new PendingReplies(new RequestMetrics(new SimpleMeterRegistry()), () -> true);

  private void hold(int outputs) {
    for (int i = 1; i <= outputs; i++) {
      BatchOutput output = new BatchOutput();
      output.refuse(peer, i, RefusalCode.PROTOCOL, "", "");
      pending.add(output, i, 0, List.of(), new ServedCommands(), 0);
    }
  }

  /** As while the disk is slow or a majority is away, and a gateway sends little at a time. */
  @Test
  void manySmallOnesTakeNoMoreThanIsCounted() {
    hold(OUTPUTS);
    assertThat(pool.metric().usedDirectMemory()).isLessThan(MEMORY_BYTES_MAX);
    assertThat((long) peer.heldBytes).isGreaterThan(OUTPUTS * 512L);
    pending.release(OUTPUTS, 0, (output, index) -> {});
    assertThat(peer.told).hasSize(OUTPUTS);
    assertThat(peer.heldBytes).isZero();
  }

  @Test
  void whatNeverLeavesCountsNoMore() {
    hold(3);
    pending.drop();
    assertThat(peer.heldBytes).isZero();
    assertThat(peer.told).isEmpty();
  }
}

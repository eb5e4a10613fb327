package io.mgtm.bench.micro;

import io.mgtm.gtm.gateway.GatewaySession;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** After a failover: a proxy sends all commands of its session again that have no reply. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SessionReplayBenchmark {
  private static final int FRAME_BYTES = 1 << 20;

  @Param({"64", "4096"})
  int unanswered;

  private final ByteBuf frame = Unpooled.directBuffer(FRAME_BYTES);
  private GatewaySession<Object> session;

  /** Fills the window. */
  @Setup
  public void fill() {
    session =
        new GatewaySession<>(
            1, new GatewaySession.Window(LinkFormat.WINDOW_COMMANDS, LinkFormat.WINDOW_BYTES));
    ByteBuffer encoded = ByteBuffer.allocate(256);
    for (int i = 0; i < unanswered; i++) {
      session.add(this, Requests.encodeForLink(Requests.BEGIN, encoded));
    }
  }

  /** The attachment is lost, and there is another. */
  @Benchmark
  public int sendAgain() {
    session.detached();
    int sent = 0;
    while (session.hasUnsent()) {
      sent += session.send(FRAME_BYTES, frame.clear());
    }
    return sent;
  }
}

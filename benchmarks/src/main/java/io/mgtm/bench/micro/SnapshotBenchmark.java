package io.mgtm.bench.micro;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A snapshot beside open transactions: taken, and taken and encoded. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SnapshotBenchmark {
  @Param({"10", "100", "1000", "4000"})
  int open;

  private final GtmState state = new GtmState(10_000);
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final ByteBuf out = Unpooled.directBuffer(64 * 1024);
  private Command snapshot;

  /** Opens the transactions. A later one has ended, so that they lie before xmax. */
  @Setup
  public void begin() {
    state.beginEntry(1);
    int first = Requests.begin(state);
    for (int i = 1; i < open; i++) {
      Requests.begin(state);
    }
    Requests.commit(state, Requests.begin(state));
    snapshot = new SnapshotCommand.GetSnapshot(TransactionRef.gxid(first));
  }

  /** The state's part. */
  @Benchmark
  public Reply take() {
    return state.apply(snapshot);
  }

  /** With the reply's bytes. */
  @Benchmark
  public int takeAndEncode() {
    out.clear();
    encoder.encode(out, false, Command.NO_BACKEND, state.apply(snapshot));
    return out.writerIndex();
  }
}

package io.mgtm.bench.micro;

import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.state.GtmState;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The state's part of begin and commit, and of a sequence's next value. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TransactionBenchmark {
  private static final String KEY = "db.public.seq\0";

  private final GtmState state = new GtmState(10_000);
  private final SequenceCommand nextValue = new SequenceCommand.NextValue(KEY);

  /** Opens a few others beside. */
  @Setup
  public void begin() {
    state.beginEntry(1);
    for (int i = 0; i < 16; i++) {
      Requests.begin(state);
    }
    long unset = SequenceCommand.UNSET;
    state.apply(new SequenceCommand.Init(KEY, 1, unset, unset, 1, false));
  }

  /** One transaction. */
  @Benchmark
  public int beginAndCommit() {
    state.beginEntry(1);
    int gxid = Requests.begin(state);
    Requests.commit(state, gxid);
    return gxid;
  }

  /** One value. */
  @Benchmark
  public Reply nextValue() {
    state.beginEntry(1);
    return state.apply(nextValue);
  }
}

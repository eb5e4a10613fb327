package io.mgtm.bench.load;

import io.mgtm.bench.check.Finding;
import io.mgtm.bench.check.GivenOut;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Transactions and sequence values at once, over one address, until told to stop: what runs while
 * something is broken on purpose. One thread calls it.
 */
public final class MixedLoad implements AutoCloseable {
  /** Longer than any test; it is stopped before. */
  private static final int RUN_MS = 3_600_000;

  private static final int SEQUENCES = 16;

  private final LoadRun transactions;
  private final LoadRun values;

  private MixedLoad(LoadRun transactions, LoadRun values) {
    this.transactions = transactions;
    this.values = values;
  }

  /**
   * What both parts saw.
   *
   * @param errors requests that failed
   * @param findings what the checker found
   */
  public record Result(
      long operations,
      long errors,
      List<String> firstErrors,
      long findings,
      List<Finding> firstFindings) {
    /** Whether there was an answer, nothing failed and nothing was found. */
    public boolean clean() {
      return operations > 0 && errors == 0 && findings == 0;
    }
  }

  /**
   * Starts it; a connection that breaks ends it.
   *
   * @param connections of the transactions; a quarter as many draw values
   * @param givenOut what earlier loads on the same group have seen
   * @param timeoutMs a request that takes longer has failed
   * @param restMicros see {@link LoadSettings}
   */
  public static MixedLoad start(
      InetSocketAddress target, int connections, GivenOut givenOut, int timeoutMs, int restMicros)
      throws IOException {
    return start(
        settings(target, Mix.TXN, connections, timeoutMs, restMicros),
        settings(target, Mix.SEQ, valueConnections(connections), timeoutMs, restMicros),
        givenOut);
  }

  /** The same whose connections are made again when they break, each time a failed request. */
  public static MixedLoad startReconnecting(
      InetSocketAddress target, int connections, GivenOut givenOut, int timeoutMs, int restMicros)
      throws IOException {
    List<InetSocketAddress> again = List.of(target);
    return start(
        settings(target, Mix.TXN, connections, timeoutMs, restMicros).withReconnect(again),
        settings(target, Mix.SEQ, valueConnections(connections), timeoutMs, restMicros)
            .withReconnect(again),
        givenOut);
  }

  private static MixedLoad start(LoadSettings ofTransactions, LoadSettings ofValues, GivenOut given)
      throws IOException {
    LoadRun transactions = LoadRun.start(ofTransactions, given);
    try {
      return new MixedLoad(transactions, LoadRun.start(ofValues, given));
    } catch (IOException e) {
      transactions.close();
      throw e;
    }
  }

  /** How many connections draw values beside so many of transactions. */
  public static int valueConnections(int connections) {
    return Math.max(1, connections / 4);
  }

  private static LoadSettings settings(
      InetSocketAddress target, Mix mix, int connections, int timeoutMs, int restMicros) {
    return new LoadSettings(
        List.of(target),
        connections,
        1,
        mix,
        0,
        RUN_MS,
        0,
        SEQUENCES,
        timeoutMs,
        false,
        restMicros);
  }

  /** How many requests were answered so far. */
  public long served() {
    return transactions.served() + values.served();
  }

  /** How many requests have failed so far. */
  public long failed() {
    return transactions.failed() + values.failed();
  }

  /** What the first of them were. */
  public List<String> firstErrors() {
    return Stream.concat(transactions.firstErrors().stream(), values.firstErrors().stream())
        .toList();
  }

  /** The longest that a request took, in ms, among those answered since this was asked last. */
  public long takeLongestMs() {
    return TimeUnit.NANOSECONDS.toMillis(
        Math.max(transactions.takeLongestNanos(), values.takeLongestNanos()));
  }

  /** The same of each client, in ns. */
  public long[] takeLongestNanosEach() {
    return both(transactions.takeLongestNanosEach(), values.takeLongestNanosEach());
  }

  /** How many requests of each client were answered so far. */
  public long[] servedEach() {
    return both(transactions.servedEach(), values.servedEach());
  }

  private static long[] both(long[] one, long[] other) {
    return LongStream.concat(LongStream.of(one), LongStream.of(other)).toArray();
  }

  /** Ends it; each connection ends what it has begun. */
  public Result finish() throws InterruptedException {
    transactions.stop();
    values.stop();
    LoadResult t = transactions.finish();
    LoadResult v = values.finish();
    return new Result(
        t.operations() + v.operations(),
        t.errors() + v.errors(),
        Stream.concat(t.firstErrors().stream(), v.firstErrors().stream()).toList(),
        t.findings() + v.findings(),
        Stream.concat(t.firstFindings().stream(), v.firstFindings().stream()).toList());
  }

  @Override
  public void close() throws IOException {
    try {
      transactions.close();
    } finally {
      values.close();
    }
  }
}

package io.mgtm.bench.load;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * One run.
 *
 * @param targets what is driven; connections are spread over them in turn
 * @param threads of this tool; connections are spread over them
 * @param warmupMs load before it is counted
 * @param durationMs load that is counted
 * @param open transactions that stay open beside the load
 * @param sequences that {@link Mix#SEQ} draws from, in turn
 * @param requestTimeoutMs a request that takes longer has failed
 * @param reconnect whether a connection that breaks is made again, to the next target; else the
 *     first that breaks ends the run
 * @param restMicros how long a thread rests after each look at its connections, so that a load that
 *     only has to be there leaves the machine room; 0 for as much load as the target takes
 */
public record LoadSettings(
    List<InetSocketAddress> targets,
    int connections,
    int threads,
    Mix mix,
    int warmupMs,
    int durationMs,
    int open,
    int sequences,
    int requestTimeoutMs,
    boolean reconnect,
    int restMicros) {

  private static final int OPEN_MAX = 1_000_000;

  public LoadSettings {
    targets = List.copyOf(targets);
    require(!targets.isEmpty(), "a target is needed");
    require(connections > 0, "connections must be above 0");
    require(threads > 0 && threads <= connections, "threads must be from 1 to connections");
    require(warmupMs >= 0 && durationMs > 0, "seconds must be above 0, warmup not below");
    require(open >= 0 && open <= OPEN_MAX, "open must be from 0 to " + OPEN_MAX);
    require(sequences > 0, "sequences must be above 0");
    require(open == 0 || !reconnect, "transactions held open do not outlive their connection");
    require(requestTimeoutMs > 0, "requestTimeoutMs must be above 0");
    require(restMicros >= 0, "restMicros must not be below 0");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** A short run of one thread that nothing may disturb. */
  public static LoadSettings of(
      InetSocketAddress target, int connections, Mix mix, int durationMs) {
    return new LoadSettings(
        List.of(target), connections, 1, mix, 0, durationMs, 0, 16, 10_000, false, 0);
  }

  /** The same with warm-up. */
  public LoadSettings withWarmupMs(int ms) {
    return new LoadSettings(
        targets,
        connections,
        threads,
        mix,
        ms,
        durationMs,
        open,
        sequences,
        requestTimeoutMs,
        reconnect,
        restMicros);
  }

  /** The same with transactions open beside it. */
  public LoadSettings withOpen(int count) {
    return new LoadSettings(
        targets,
        connections,
        threads,
        mix,
        warmupMs,
        durationMs,
        count,
        sequences,
        requestTimeoutMs,
        reconnect,
        restMicros);
  }

  /** The same with threads. */
  public LoadSettings withThreads(int count) {
    return new LoadSettings(
        targets,
        connections,
        count,
        mix,
        warmupMs,
        durationMs,
        open,
        sequences,
        requestTimeoutMs,
        reconnect,
        restMicros);
  }

  /** The same that outlives its connections, and turns to the next target when one breaks. */
  public LoadSettings withReconnect(List<InetSocketAddress> allTargets) {
    return new LoadSettings(
        allTargets,
        connections,
        threads,
        mix,
        warmupMs,
        durationMs,
        open,
        sequences,
        requestTimeoutMs,
        true,
        restMicros);
  }
}

package io.mgtm.bench.load;

import io.mgtm.bench.check.Checker;
import io.mgtm.bench.check.Findings;
import io.mgtm.bench.check.GivenOut;
import io.mgtm.bench.check.SequenceChecker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One run of load. {@link #run} does all of it; a test that disturbs the GTM meanwhile uses {@link
 * #start}, {@link #served} to see that it goes on, and {@link #finish}. One thread calls these;
 * {@link #served} and {@link #stop} any.
 */
public final class LoadRun implements AutoCloseable {
  private final LoadSettings settings;
  private final Findings findings = new Findings();
  private final LoadErrors errors = new LoadErrors();
  private final Surroundings surroundings;
  private final RunClock clock;
  private final List<LoadLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  private LoadRun(LoadSettings settings, GivenOut givenOut) throws IOException {
    this.settings = settings;
    surroundings = Surroundings.make(settings, givenOut);
    List<SequenceChecker> sequences =
        surroundings.sequenceKeys().stream()
            .map(key -> new SequenceChecker(key, givenOut, findings))
            .toList();
    clock = new RunClock(settings);
    for (int i = 0; i < settings.threads(); i++) {
      addLoop(i, new Checker(givenOut, findings), sequences);
    }
  }

  private void addLoop(int number, Checker checker, List<SequenceChecker> sequences) {
    checker.hold(surroundings.open());
    LoadLoop loop = new LoadLoop(settings, clock, errors);
    for (int c = number; c < settings.connections(); c += settings.threads()) {
      boolean draws = settings.mix() == Mix.SEQ;
      int s = draws ? c % sequences.size() : 0;
      String key = draws ? surroundings.sequenceKeys().get(s) : "none\0";
      loop.add(c, checker, draws ? sequences.get(s) : null, new RequestTemplates("bench", key));
    }
    loops.add(loop);
    Thread thread = new Thread(loop, "bench-load-" + number);
    thread.setUncaughtExceptionHandler(
        (t, e) -> {
          errors.add(t.getName() + " ended: " + e);
          clock.stop();
        });
    threads.add(thread);
  }

  /**
   * Runs to the end.
   *
   * @throws IOException when the target cannot be reached, or what the run made there cannot be
   *     taken away; anything that happens to the load itself stands in the result
   */
  public static LoadResult run(LoadSettings settings) throws IOException, InterruptedException {
    return run(settings, new GivenOut());
  }

  /**
   * The same.
   *
   * @param givenOut what earlier runs on the same GTM have seen
   * @throws IOException as above
   */
  public static LoadResult run(LoadSettings settings, GivenOut givenOut)
      throws IOException, InterruptedException {
    try (LoadRun run = start(settings, givenOut)) {
      return run.finish();
    }
  }

  /**
   * Begins a run.
   *
   * @param givenOut what earlier runs on the same GTM have seen
   */
  public static LoadRun start(LoadSettings settings, GivenOut givenOut) throws IOException {
    LoadRun run = new LoadRun(settings, givenOut);
    run.threads.forEach(Thread::start);
    return run;
  }

  /** How many requests were answered so far. */
  public long served() {
    return loops.stream().mapToLong(LoadLoop::served).sum();
  }

  /** The longest that a request took, in ns, among those answered since this was asked last. */
  public long takeLongestNanos() {
    return LongStream.of(takeLongestNanosEach()).max().orElse(0);
  }

  /** The same of each client. */
  public long[] takeLongestNanosEach() {
    return waits().mapToLong(ClientWait::takeLongestNanos).toArray();
  }

  /** How many requests of each client were answered so far. */
  public long[] servedEach() {
    return waits().mapToLong(ClientWait::served).toArray();
  }

  private Stream<ClientWait> waits() {
    return loops.stream().flatMap(LoadLoop::waits);
  }

  /** How many requests have failed so far. */
  public long failed() {
    return errors.count();
  }

  /** What the first of them were. */
  public List<String> firstErrors() {
    return errors.first();
  }

  /** Ends the load now; each connection ends what it has begun. */
  public void stop() {
    clock.stop();
  }

  /** Waits until the load has ended; what it saw. */
  public LoadResult finish() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    LatencyRecorder<Operation> latencies = new LatencyRecorder<>(Operation.class);
    loops.forEach(loop -> latencies.add(loop.latencies()));
    double seconds = clock.seconds();
    long operations = latencies.count();
    return new LoadResult(
        settings.targets().stream()
            .map(a -> a.getHostString() + ":" + a.getPort())
            .collect(Collectors.joining(",")),
        settings.mix(),
        settings.connections(),
        settings.threads(),
        settings.open(),
        seconds,
        operations,
        seconds > 0 ? operations / seconds : 0,
        latencies.all(),
        latencies.each(),
        errors.count(),
        errors.first(),
        findings.count(),
        findings.first());
  }

  /** Takes away what the run made at the GTM: sequences, open transactions. */
  @Override
  public void close() throws IOException {
    stop();
    surroundings.close();
  }
}

package io.mgtm.bench.report;

import io.mgtm.bench.report.Section.Outcome;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Runs the parts of a report one after the other, each with a bound on its time and all with one.
 * One thread, which is interrupted when a part's time is over.
 */
public final class ReportRun {
  /** A signal ends the programs that are waited for too, perhaps before this thread hears of it. */
  private static final int HEAR_MS = 1_000;

  /** In less no part comes to a figure. */
  private static final long LEAST_SECONDS = 10;

  private final PrintWriter err;
  private final LongSupplier nanoTime;
  private final int secondsMax;

  /**
   * A run that has not begun.
   *
   * @param err told which part runs, and how long it may
   * @param secondsMax how long all may take
   */
  public ReportRun(PrintWriter err, int secondsMax) {
    this(err, secondsMax, System::nanoTime);
  }

  ReportRun(PrintWriter err, int secondsMax, LongSupplier nanoTime) {
    this.err = err;
    this.secondsMax = secondsMax;
    this.nanoTime = nanoTime;
  }

  /**
   * Runs them; one that fails does not keep the others from running.
   *
   * @throws InterruptedException when this thread is interrupted by another than this run
   */
  public List<Section> run(List<Part> parts) throws InterruptedException {
    long begun = nanoTime.getAsLong();
    List<Section> sections = new ArrayList<>();
    for (Part part : parts) {
      long left = secondsMax - TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - begun);
      int number = sections.size() + 1;
      Section section = run(part, left, "[%d/%d] %s".formatted(number, parts.size(), part.title()));
      sections.add(section);
    }
    return sections;
  }

  private Section run(Part part, long left, String name) throws InterruptedException {
    Optional<String> why = missing(part);
    if (why.isEmpty() && left < LEAST_SECONDS) {
      why = Optional.of("the " + secondsMax + " s of this report were over; run it by --only");
    }
    if (why.isPresent()) {
      say(name + ": not run: " + why.get());
      return Section.notRun(part, why.get());
    }
    long secondsAtMost = Math.min(left, part.secondsMax());
    say("%s: at most %d s".formatted(name, secondsAtMost));
    Section section = measure(part, secondsAtMost);
    String end = section.outcome() == Outcome.FAILED ? "failed: " + section.reason() : "done";
    say("%s: %s in %.0f s".formatted(name, end, section.seconds()));
    section.measured().findings().forEach(finding -> say(name + ": " + finding));
    return section;
  }

  private static Optional<String> missing(Part part) throws InterruptedException {
    try {
      return part.missing();
    } catch (IOException e) {
      return Optional.of("whether it can run is not known: " + sentence(e));
    }
  }

  /** Interrupts the thread of a part when its time is over, and no later part. */
  private static final class Alarm implements Runnable {
    private final Thread worker = Thread.currentThread();
    private boolean rung;
    private boolean off;

    @Override
    public synchronized void run() {
      if (!off) {
        rung = true;
        worker.interrupt();
      }
    }

    synchronized boolean isRung() {
      return rung;
    }

    /** What closes may have set the thread's mark again; it is not for the next part. */
    synchronized void turnOff() {
      off = true;
      if (rung) {
        var unused = Thread.interrupted();
      }
    }
  }

  private Section measure(Part part, long secondsAtMost) throws InterruptedException {
    long begun = nanoTime.getAsLong();
    Alarm alarm = new Alarm();
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try {
      var unused = clock.schedule(alarm, secondsAtMost, TimeUnit.SECONDS);
      part.measure();
      return Section.of(part, Outcome.RAN, "", secondsSince(begun));
    } catch (InterruptedException | IOException | RuntimeException e) {
      if (!alarm.isRung()) {
        stopIfAsked(e);
      }
      String reason =
          alarm.isRung() ? "it took longer than %d s".formatted(secondsAtMost) : sentence(e);
      return Section.of(part, Outcome.FAILED, reason, secondsSince(begun));
    } finally {
      alarm.turnOff();
      clock.shutdownNow();
    }
  }

  /** Where a signal ended a program of the part, this thread is interrupted next. */
  private static void stopIfAsked(Exception e) throws InterruptedException {
    if (e instanceof InterruptedException interrupted) {
      throw interrupted;
    }
    TimeUnit.MILLISECONDS.sleep(HEAR_MS);
  }

  /** A fault of ours is told whole. */
  private static String sentence(Exception e) {
    return e instanceof IOException && e.getMessage() != null
        ? e.getMessage().strip().replaceAll("\\s*\\R\\s*", " ")
        : e.toString();
  }

  private double secondsSince(long begun) {
    return (nanoTime.getAsLong() - begun) / 1e9;
  }

  private void say(String line) {
    err.println(line);
    err.flush();
  }
}

package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.fleet.OrderLog;
import io.mgtm.query.session.Spools;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins a tenure when this replicator comes to lead its group, and ends it when it does not any
 * more, one after the other on a thread that waits. Any thread.
 */
final class Succession implements OrderLog.Leads {
  private static final Logger log = LoggerFactory.getLogger(Succession.class);

  /** After a tenure could not begin, and between two tries to have another lead. */
  private static final int AGAIN_MS = 1_000;

  private static final String FOREIGN =
      "a replicator that is not of this group has taken the servers over; end that one, and then"
          + " start this one again";

  private final Entrance entrance;
  private final EventLoopGroup loops;
  private final Spools spools;
  private final String name;
  private final String address;
  private final Readiness readiness;
  private final CompletableFuture<OrderLog> opened = new CompletableFuture<>();
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("mgtm-query-term", true));
  private volatile String trouble = "";

  /**
   * Of a replicator that does not lead yet.
   *
   * @param name of this member
   * @param address where clients reach it
   */
  Succession(Entrance entrance, EventLoopGroup loops, Spools spools, String name, String address) {
    this.entrance = entrance;
    this.loops = loops;
    this.spools = spools;
    this.name = name;
    this.address = address;
    this.readiness = new Readiness(entrance.config(), entrance, loops.next(), name, this::servers);
  }

  /** The log is open. */
  void opened(OrderLog order) {
    opened.complete(order);
  }

  private List<HostPort> servers() {
    Set<String> known = opened.isDone() ? opened.join().servers() : Set.of();
    return known.isEmpty()
        ? entrance.config().servers()
        : known.stream().map(HostPort::parse).toList();
  }

  /** What would keep it from taking servers over, a line each. */
  List<String> unready() {
    return readiness.trouble();
  }

  /** Why there is no tenure though this replicator leads, or empty. */
  String trouble() {
    return trouble;
  }

  @Override
  public void leading(CommitLog commits) {
    Future<?> task = worker.submit(() -> run(commits));
    // What waits for a server is of no use any more.
    commits.ended().thenRun(() -> task.cancel(true));
  }

  @Override
  public void moved() {
    entrance.forwards().lookAgain();
  }

  private void run(CommitLog commits) {
    while (!commits.isEnded()) {
      try (Tenure tenure = tenure(commits)) {
        serve(tenure, commits);
      } catch (IOException | RuntimeException e) {
        Thread.interrupted();
        if (!commits.isEnded()) {
          notBegun(commits, e);
        }
      }
    }
    trouble = "";
  }

  private Tenure tenure(CommitLog commits) {
    return new Tenure(
        entrance.config(),
        entrance.door(),
        loops.next(),
        commits,
        spools,
        commits.term() + " " + name);
  }

  /** Returns when the log of commits has ended. */
  private void serve(Tenure tenure, CommitLog commits) throws IOException {
    long beganNanos = System.nanoTime();
    trouble = "it takes the servers over";
    log.info("{} leads in term {}, and takes the servers over", name, commits.term());
    Fleet fleet = tenure.shared().fleet();
    fleet.whenDeposed(() -> stopServing(tenure, commits));
    try {
      // Whatever is decided from here on is decided after it.
      commits.leads(name, address, ForwardKey.NONE);
      tenure.begin();
      entrance.open(tenure);
      // From now on others forward their clients.
      Futures.await(commits.leads(name, address, tenure.forwardKey()));
      trouble = "";
      log.info(
          "{} serves in term {}, {} ms after it came to lead",
          name,
          commits.term(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
      awaitEnd(commits, Long.MAX_VALUE);
    } finally {
      Thread.interrupted();
      fleet.end();
      log.info("{} serves no more in term {}", name, commits.term());
    }
  }

  /** It is about to stop: others hold their clients until another serves. */
  void withdraw(Tenure tenure) {
    tenure.shared().commits().leads(name, address, ForwardKey.NONE);
  }

  private void stopServing(Tenure tenure, CommitLog commits) {
    if (entrance.tenure() == tenure && !commits.isEnded()) {
      // Which of the two is right is for operators to say.
      trouble = FOREIGN;
      log.error("{} leads its group, and serves no more: {}", name, FOREIGN);
    }
    entrance.shut(tenure);
    tenure.stopSessions();
  }

  /** Another one may reach the servers. */
  private void notBegun(CommitLog commits, Exception why) {
    trouble = "it cannot take the servers over: " + why.getMessage();
    log.warn("{} leads, and cannot take the servers over", name, why);
    awaitEnd(commits, AGAIN_MS);
    try {
      if (!commits.isEnded() && opened.join().handOver()) {
        awaitEnd(commits, AGAIN_MS);
      }
    } catch (IOException e) {
      log.warn("The leadership is not handed over: {}", e.getMessage());
    }
  }

  private static void awaitEnd(CommitLog commits, long ms) {
    try {
      commits.ended().get(ms, TimeUnit.MILLISECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      // It has ended, or is looked at again.
      Thread.interrupted();
    }
  }

  /** Waits until what the last tenure had is given back, once the log is closed. */
  void awaitDone(int withinMs) {
    readiness.close();
    worker.shutdown();
    try {
      if (!worker.awaitTermination(withinMs, TimeUnit.MILLISECONDS)) {
        log.warn("What served clients takes long to end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

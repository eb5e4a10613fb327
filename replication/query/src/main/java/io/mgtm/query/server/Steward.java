package io.mgtm.query.server;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the servers: asks each once a second whether it is there, puts out those that are not,
 * and prepares the next leader. What it keeps belongs to one event loop.
 */
final class Steward {
  private static final Logger log = LoggerFactory.getLogger(Steward.class);
  private static final String QUESTION = "SELECT pg_is_in_recovery()";
  private static final int EVERY_MS = 1_000;
  private static final int VERIFY_HOURS = 24;

  private final Shared shared;
  private final OwnRole role;
  private final EventLoop loop;
  private final Verifier verifier;
  private final Map<Node, Asker> askers = new HashMap<>();
  private final Set<Node> busy = new HashSet<>();
  private Future<?> watching;
  private boolean begun;

  Steward(Shared shared, OwnRole role, EventLoop loop) {
    this.shared = shared;
    this.role = role;
    this.loop = loop;
    this.verifier = new Verifier(shared, role);
    shared.fleet().set(this::probe, this::leaderOut);
  }

  Verifier verifier() {
    return verifier;
  }

  /**
   * Puts out those that were out before and those that are not there, compares the others unless
   * the replicator ended in order, and begins to watch.
   *
   * @throws IOException when no server is there, or they cannot be compared
   */
  void begin(StateFile file) throws IOException {
    StateFile.State before = file.read();
    Fleet fleet = shared.fleet();
    fleet.restore(before == null ? Map.of() : before.out());
    Map<Node, String> wrong = new HashMap<>();
    for (Node node : fleet.in()) {
      String what = await(probe(node));
      if (what != null) {
        wrong.put(node, what);
      }
    }
    if (wrong.size() == fleet.in().size()) {
      throw new IOException("no server is there: " + wrong);
    }
    wrong.forEach((node, what) -> fleet.eject(node, "when the replicator started: " + what));
    if (before == null || !before.clean()) {
      log.info("Comparing the servers, as the replicator did not end in order or is new");
      List<Verifier.Difference> differences = await(verifier.verify());
      for (Verifier.Difference one : differences) {
        Node node = one.node();
        fleet.eject(node, "when the replicator started: " + one.text());
      }
    }
    fleet.save(false);
    begun = true;
    watching = loop.scheduleWithFixedDelay(this::watch, EVERY_MS, EVERY_MS, TimeUnit.MILLISECONDS);
  }

  static <T> T await(CompletableFuture<T> of) throws IOException {
    try {
      return of.get(VERIFY_HOURS, TimeUnit.HOURS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the servers were not compared in a day", e);
    }
  }

  /** What is wrong with a server, asked over a new connection; null when nothing is. */
  private CompletableFuture<String> probe(Node node) {
    CompletableFuture<Asker> entered = role.enter(node.address(), role.database());
    return entered
        .thenCompose(asker -> asker.ask(QUESTION))
        .orTimeout(shared.config().timeouts().silentMs(), TimeUnit.MILLISECONDS)
        .handle(
            (rows, cause) -> {
              entered.thenAccept(Asker::close);
              return judge(rows, cause);
            });
  }

  private String judge(List<List<String>> rows, Throwable cause) {
    if (cause == null) {
      return rows.get(0).get(0).equals("f") ? null : "it is a standby";
    }
    Throwable root = cause instanceof CompletionException ? cause.getCause() : cause;
    return root instanceof LoginException login
        ? login.getMessage()
        : "it did not answer within " + shared.config().timeouts().silentMs() + " ms";
  }

  private void watch() {
    for (Node node : shared.fleet().nodes()) {
      Asker asker = askers.get(node);
      if (busy.contains(node)) {
        continue;
      }
      if (!node.isIn()) {
        if (asker != null) {
          askers.remove(node).close();
        }
      } else if (asker == null) {
        busy.add(node);
        role.enter(node.address(), role.database())
            .whenComplete((got, cause) -> loop.execute(() -> entered(node, got)));
      } else {
        busy.add(node);
        asker
            .ask(QUESTION)
            .orTimeout(shared.config().timeouts().silentMs(), TimeUnit.MILLISECONDS)
            .whenComplete((rows, cause) -> loop.execute(() -> answered(node, asker, rows, cause)));
      }
    }
  }

  private void entered(Node node, Asker asker) {
    busy.remove(node);
    if (asker == null) {
      shared.fleet().suspect(node);
    } else {
      askers.put(node, asker);
    }
  }

  private void answered(Node node, Asker asker, List<List<String>> rows, Throwable cause) {
    busy.remove(node);
    if (judge(rows, cause) == null) {
      return;
    }
    asker.close();
    askers.remove(node);
    shared.fleet().suspect(node);
  }

  /** What was decided under the old leader is done, and sequences are behind their rows. */
  private CompletableFuture<Void> leaderOut() {
    CommitGate gate = shared.gate();
    CompletableFuture<Void> quiet = gate.close();
    Node next = shared.fleet().leader();
    return quiet
        .thenCompose(
            nothing ->
                begun
                    ? CompletableFuture.allOf(
                        shared.catalogues().databases().stream()
                            .map(d -> Sequences.setBehindRows(role, next.address(), d))
                            .toArray(CompletableFuture[]::new))
                    : CompletableFuture.completedFuture(null))
        .orTimeout(shared.config().timeouts().applyMs(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (nothing, cause) -> {
              if (cause != null) {
                log.warn("The sequences of {} were not set: {}", next, cause.toString());
              }
              gate.open();
            });
  }

  /** Ends the watch, and keeps that all was left in order if it was. */
  void close() {
    shared.fleet().close();
    if (watching == null) {
      return;
    }
    watching.cancel(false);
    try {
      shared.fleet().save(shared.sessions().count() == 0);
    } catch (IOException e) {
      log.warn("Cannot write that the replicator ended in order: {}", e.toString());
    }
  }
}

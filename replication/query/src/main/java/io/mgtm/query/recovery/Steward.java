package io.mgtm.query.recovery;

import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.CommitGate;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.FleetStart;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PreparedTransaction;
import io.mgtm.query.fleet.ServerKind;
import io.mgtm.query.order.ServerState;
import io.mgtm.query.session.Shared;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the servers: asks each once a second whether it is there, puts out those that are not,
 * and prepares the next leader. What it keeps belongs to one event loop.
 */
public final class Steward {
  private static final Logger log = LoggerFactory.getLogger(Steward.class);
  private static final int EVERY_MS = 1_000;

  /** Of so many databases it reads ahead what is to be known, over as many connections. */
  private static final int AHEAD_MAX = 5;

  /** How soon it is tried again to let a server in. */
  private static final int RETURN_S = 5;

  private final Shared shared;
  private final OwnRole role;
  private final Sequences sequences;
  private final EventLoop loop;
  private final Verifier verifier;
  private final Map<Node, Asker> askers = new HashMap<>();
  private final Set<Node> busy = new HashSet<>();
  private Future<?> watching;
  private final Rejoin rejoin;
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("mgtm-query-return", true));
  private final Map<Node, Long> notBefore = new HashMap<>();
  private boolean returning;

  /** Whether a server of a newer major version than another led a second ago. */
  private boolean newerLed;

  private boolean begun;
  private boolean closed;

  /** One that watches nothing yet; see {@link #begin}. */
  public Steward(Shared shared, OwnRole role, Sequences sequences, EventLoop loop) {
    this.shared = shared;
    this.sequences = sequences;
    this.role = role;
    this.loop = loop;
    this.verifier = new Verifier(shared, role);
    this.rejoin = new Rejoin(shared, role, verifier);
    shared.fleet().set(this::probe, this::leaderOut);
  }

  /** What compares the servers that it watches. */
  public Verifier verifier() {
    return verifier;
  }

  /**
   * Puts out those that were out before and those that are not there, gives the others what they
   * miss, compares those of which that cannot be told, and begins to watch.
   *
   * @throws IOException when no server is there, or they cannot be compared
   */
  public void begin() throws IOException {
    Fleet fleet = shared.fleet();
    FleetStart start = new FleetStart(fleet, shared.commits());
    start.restore();
    if (shared.config().reads() == QueryConfig.Reads.SNAPSHOT) {
      start.awaitFormer();
    }
    Map<Node, String> wrong = probeAll(fleet.in());
    if (wrong.size() == fleet.in().size()) {
      // All at once: it may have been this machine.
      wrong = probeAll(fleet.in());
    }
    if (wrong.size() == fleet.in().size()) {
      throw new IOException("no server is there: " + wrong);
    }
    wrong.forEach(start::eject);
    Takeover takeover = new Takeover(shared, role, start);
    List<Node> unproven = takeover.takeOverAll(start.toCompare());
    if (!unproven.isEmpty()) {
      compare(unproven);
    }
    takeover.prepareAgain();
    Node leads = fleet.leader();
    // The first client of each waits for it, or asks again where it fails.
    shared.positions().databases().stream().limit(AHEAD_MAX).forEach(shared.catalogues()::of);
    Futures.await(takeover.noted(), shared.config().timeouts().applyMs());
    Futures.await(
        setSequences(leads)
            .exceptionally(
                cause -> {
                  log.warn("The sequences of {} were not set: {}", leads, cause.toString());
                  return null;
                }));
    begun = true;
    watching = loop.scheduleWithFixedDelay(this::watch, EVERY_MS, EVERY_MS, TimeUnit.MILLISECONDS);
  }

  /** What is wrong with those with which something is. */
  private Map<Node, String> probeAll(List<Node> nodes) throws IOException {
    Map<Node, CompletableFuture<String>> asked = new LinkedHashMap<>();
    nodes.forEach(node -> asked.put(node, probe(node)));
    Map<Node, String> wrong = new LinkedHashMap<>();
    for (Map.Entry<Node, CompletableFuture<String>> one : asked.entrySet()) {
      String what = Futures.await(one.getValue());
      if (what != null) {
        wrong.put(one.getKey(), what);
      }
    }
    return wrong;
  }

  private void compare(List<Node> unproven) throws IOException {
    Fleet fleet = shared.fleet();
    log.info("Comparing the servers, as the log of commits cannot tell of {}", unproven);
    for (Verifier.Difference one : Futures.await(verifier.verifyUnserved())) {
      fleet.ejectDiffering(one.node(), "when the replicator started: " + one.text());
    }
    long last = Futures.await(shared.commits().lastNumber());
    for (Node node : unproven) {
      if (node.isIn()) {
        if (node != fleet.leader()) {
          Futures.await(shared.positions().copy(fleet.leader(), node, node.fence()));
        }
        // What the log has and none of them is at none for ever.
        Futures.await(
            shared.positions().reached(node, shared.positions().databases(), last, node.fence()));
        ServerState in = ServerState.in(System.currentTimeMillis());
        Futures.await(shared.commits().change(node.toString(), in));
      }
    }
  }

  /** What is wrong with a server, asked over a new connection; null when nothing is. */
  private CompletableFuture<String> probe(Node node) {
    CompletableFuture<Asker> entered = role.enter(node.address(), role.database());
    return entered
        .thenCompose(asker -> asker.ask(ServerKind.SQL))
        .orTimeout(shared.config().timeouts().silentMs(), TimeUnit.MILLISECONDS)
        .handle(
            (rows, cause) -> {
              entered.thenAccept(Asker::close);
              String wrong = judge(rows, cause);
              return wrong == null ? know(node, ServerKind.of(rows.get(0))) : wrong;
            });
  }

  /** Why it is no server that can be served, or null. */
  private static String know(Node node, ServerKind kind) {
    if (kind.isUntried() && node.kind().number() != kind.number()) {
      log.warn("{} is PostgreSQL {}, which was not tried", node, kind.version());
    }
    node.setKind(kind);
    return ServerKind.refusal(kind.major());
  }

  private String judge(List<List<String>> rows, Throwable cause) {
    if (cause == null) {
      return rows.get(0).get(0).equals("f") ? null : "it is a standby";
    }
    Throwable root = cause instanceof CompletionException ? cause.getCause() : cause;
    return root instanceof LoginException login
        ? login.getMessage()
        : Presence.silent(shared.config().timeouts().silentMs());
  }

  private void watch() {
    boolean newer = ServerKind.leadsOlder(shared.fleet().leader(), shared.fleet().nodes());
    if (newer != newerLed) {
      newerLed = newer;
      shared.catalogues().forget();
    }
    if (shared.config().group().exists()) {
      shared.commits().noteSettled();
    }
    askers.keySet().stream()
        .filter(Node::isRemoved)
        .toList()
        .forEach(n -> askers.remove(n).close());
    for (Node node : shared.fleet().nodes()) {
      if (busy.contains(node)) {
        continue;
      }
      if (node.isIn()) {
        ask(node);
        continue;
      }
      Asker asker = askers.remove(node);
      if (asker != null) {
        asker.close();
      }
      lookForReturn(node);
    }
  }

  /** Asks a server that is in whether it is there, and puts it out when it is not. */
  private void ask(Node node) {
    busy.add(node);
    Asker known = askers.get(node);
    CompletableFuture<Asker> entered =
        known == null
            ? role.enter(node.address(), role.database())
            : CompletableFuture.completedFuture(known);
    CompletableFuture<String> answer =
        entered
            .thenCompose(asker -> asker.ask(PreparedTransaction.watchSql(node.fence())))
            .handle((rows, cause) -> watched(node, rows, cause));
    Presence.of(loop, shared.config().timeouts().silentMs(), answer, () -> askAgain(node))
        .thenAccept(
            wrong -> {
              if (wrong != null) {
                shared.fleet().eject(node, wrong);
              }
              loop.execute(() -> asked(node, entered, answer));
            });
  }

  private String watched(Node node, List<List<String>> rows, Throwable cause) {
    if (cause == null && !rows.get(0).get(1).equals("0")) {
      shared.positions().unknown().rollBackOthers(node);
    }
    return judge(rows, cause);
  }

  /** Over a new connection, unless it was this replicator that closed the one before. */
  private CompletableFuture<String> askAgain(Node node) {
    return closed ? CompletableFuture.completedFuture(null) : probe(node);
  }

  private void asked(
      Node node, CompletableFuture<Asker> entered, CompletableFuture<String> answer) {
    busy.remove(node);
    if (!closed && answer.isDone() && answer.join() == null) {
      askers.put(node, entered.join());
    } else {
      askers.remove(node);
      entered.thenAccept(Asker::close);
    }
  }

  /** One that was away comes back by itself. */
  private void lookForReturn(Node node) {
    if (returning
        || shared.fleet().isDeposed()
        || System.nanoTime() < notBefore.getOrDefault(node, Long.MIN_VALUE)) {
      return;
    }
    returning = true;
    worker.execute(
        () -> {
          String begun = null;
          String why = null;
          try {
            ServerState state = shared.commits().servers().get(node.toString());
            boolean away = state != null && state.status() == ServerState.Status.AWAY;
            if (away && Futures.await(probe(node)) == null) {
              begun = state.why() + "; it does not come back: ";
              rejoin.comeBack(node, false);
            }
          } catch (IOException | RuntimeException e) {
            why = begun == null ? null : begun + e.getMessage();
            log.warn("The server {} does not come back: {}", node, e.getMessage());
          }
          String told = why;
          loop.execute(() -> looked(node, told));
        });
  }

  /**
   * Lets a server in that is out, or is a new one, when it has all and its rows are the leader's;
   * waits.
   */
  void bringIn(Node node) throws IOException {
    try {
      worker.submit(() -> comeIn(node)).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (CancellationException | RejectedExecutionException e) {
      throw new IOException("the replicator ends, or another leads", e);
    }
  }

  private Void comeIn(Node node) throws IOException {
    if (!node.isIn()) {
      String wrong = Futures.await(probe(node));
      if (wrong != null) {
        throw new IOException(wrong);
      }
      rejoin.comeBack(node, true);
    }
    return null;
  }

  private void looked(Node node, String why) {
    returning = false;
    if (!node.isIn()) {
      notBefore.put(node, System.nanoTime() + TimeUnit.SECONDS.toNanos(RETURN_S));
      if (why != null) {
        node.staysOut(why);
      }
    }
  }

  private CompletableFuture<Void> setSequences(Node leader) {
    return Futures.all(
        shared.positions().databases().stream()
            .map(d -> sequences.setBehindRows(leader.address(), d)));
  }

  /** What was decided under the old leader is done, and sequences are behind their rows. */
  private CompletableFuture<Void> leaderOut() {
    CommitGate gate = shared.gate();
    CompletableFuture<Void> quiet = gate.close();
    CompletableFuture<Void> set = shared.sequences().quiet();
    Node next = shared.fleet().leader();
    if (ServerKind.isMixed(shared.fleet().nodes())) {
      shared.catalogues().forget();
    }
    return quiet
        .thenCompose(nothing -> set)
        .thenCompose(
            nothing -> begun ? setSequences(next) : CompletableFuture.<Void>completedFuture(null))
        .orTimeout(shared.config().timeouts().applyMs(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (nothing, cause) -> {
              if (cause != null) {
                log.warn("The sequences of {} were not set: {}", next, cause.toString());
              }
              gate.open();
            });
  }

  /** Ends the watch. */
  public void close() {
    shared.fleet().close();
    if (watching != null) {
      watching.cancel(false);
    }
    worker.shutdownNow().stream()
        .filter(Future.class::isInstance)
        .forEach(task -> ((Future<?>) task).cancel(true));
    loop.execute(
        () -> {
          closed = true;
          askers.values().forEach(Asker::close);
          askers.clear();
        });
  }
}

package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers, and which of them are in. The first that is in leads. A server is put out for good:
 * its rows may differ from then on, so that this is on disk before any commit goes on without it.
 * The last one is never put out. Any thread.
 */
final class Fleet {
  private static final Logger log = LoggerFactory.getLogger(Fleet.class);

  private final List<Node> nodes;
  private final StateFile file;
  private final Consumer<Node> whenOut;
  private final ConcurrentHashMap<Node, CompletableFuture<Boolean>> probes =
      new ConcurrentHashMap<>();
  private Probe probe = node -> CompletableFuture.completedFuture(null);
  private Supplier<CompletableFuture<Void>> leaderOut =
      () -> CompletableFuture.completedFuture(null);
  private volatile CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);
  private final AtomicInteger turns = new AtomicInteger();
  private boolean closed;

  /** Asks a server whether it is there. */
  interface Probe {
    /** Completes with what is wrong with it, or null; never exceptionally. */
    CompletableFuture<String> ask(Node node);
  }

  /**
   * Servers that are all in.
   *
   * @param file where it is kept who is out, or null where there is one server only
   * @param whenOut told of each that is put out
   */
  Fleet(List<HostPort> servers, StateFile file, Consumer<Node> whenOut) {
    this.nodes = servers.stream().map(Node::new).toList();
    this.file = file;
    this.whenOut = whenOut;
  }

  /**
   * Set before anything is asked.
   *
   * @param leaderOut does what must be done before another leads, once the leader was put out
   */
  void set(Probe probe, Supplier<CompletableFuture<Void>> leaderOut) {
    this.probe = probe;
    this.leaderOut = leaderOut;
  }

  /**
   * Whether what {@link #leader} answered before this call may be asked to write: all that was
   * decided under the leader before it is done.
   */
  CompletableFuture<Void> ready() {
    return ready;
  }

  List<Node> nodes() {
    return nodes;
  }

  /** A number that goes round, so that sessions begin to read at different servers. */
  int turn() {
    return turns.getAndIncrement();
  }

  List<Node> in() {
    return nodes.stream().filter(Node::isIn).toList();
  }

  /** The one that executes writes first. */
  Node leader() {
    for (Node node : nodes) {
      if (node.isIn()) {
        return node;
      }
    }
    throw new IllegalStateException("no server is in");
  }

  /** Whether it is out, by this call or before; false for the last one, which stays. */
  boolean eject(Node node, String why) {
    CompletableFuture<Void> next = null;
    synchronized (this) {
      if (!node.isIn()) {
        return true;
      }
      if (closed || in().size() == 1) {
        return false;
      }
      if (node == leader()) {
        CompletableFuture<Void> before = ready;
        next = new CompletableFuture<>();
        ready = CompletableFuture.allOf(before, next);
      }
      node.set(why, System.currentTimeMillis());
      try {
        save(false);
      } catch (IOException e) {
        // Nothing may be acknowledged that a restart would forget to be missing there.
        log.error("Cannot write that {} is out: {}; the replicator stops", node, e.toString());
        Runtime.getRuntime().halt(1);
      }
    }
    log.warn("The server {} is out: {}. The leader is {}", node, why, leader());
    whenOut.accept(node);
    if (next != null) {
      CompletableFuture<Void> done = next;
      leaderOut.get().whenComplete((nothing, cause) -> done.complete(null));
    }
    return true;
  }

  /** Takes over from the file who is out; the caller saves. */
  synchronized void restore(Map<String, String> out) {
    for (Node node : nodes) {
      node.set(out.get(node.toString()), System.currentTimeMillis());
    }
  }

  /** Writes who is out, and whether all others have the same rows. */
  synchronized void save(boolean clean) throws IOException {
    if (file == null) {
      return;
    }
    Map<String, String> out = new TreeMap<>();
    nodes.stream().filter(n -> !n.isIn()).forEach(n -> out.put(n.toString(), n.why()));
    file.write(new StateFile.State(clean, out));
  }

  /** Puts nobody out any more: connections break because the replicator ends. */
  synchronized void close() {
    closed = true;
  }

  /** A connection broke: asks the server; completes with whether it is out now. */
  CompletableFuture<Boolean> suspect(Node node) {
    if (!node.isIn()) {
      return CompletableFuture.completedFuture(true);
    }
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    CompletableFuture<Boolean> other = probes.putIfAbsent(node, mine);
    if (other != null) {
      return other;
    }
    probe
        .ask(node)
        .thenApply(wrong -> wrong != null && eject(node, wrong))
        .whenComplete(
            (out, cause) -> {
              probes.remove(node, mine);
              if (cause == null) {
                mine.complete(out);
              } else {
                mine.completeExceptionally(cause);
              }
            });
    return mine;
  }
}

package io.mgtm.query.fleet;

import io.mgtm.common.HostPort;
import io.mgtm.query.order.ServerState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers, and which of them are in. The one that came in first leads. That a server is out
 * stands in the log before any commit goes on without it. The last one is never put out. Any
 * thread.
 */
public final class Fleet {
  private static final Logger log = LoggerFactory.getLogger(Fleet.class);

  /** For a disk to take a few bytes. */
  private static final int KEEP_S = 60;

  private static final ServerState REMOVED =
      new ServerState(ServerState.Status.REMOVED, "it was removed", 0);

  private final CommitLog commits;
  private final Consumer<Node> whenOut;
  private final ConcurrentHashMap<Node, CompletableFuture<Boolean>> probes =
      new ConcurrentHashMap<>();
  private Probe probe = node -> CompletableFuture.completedFuture(null);
  private Supplier<CompletableFuture<Void>> leaderOut =
      () -> CompletableFuture.completedFuture(null);
  private volatile CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);
  private final AtomicInteger turns = new AtomicInteger();

  private boolean closed;
  private boolean deposed;
  private Runnable whenDeposed = () -> {};

  /** All servers, in the order in which they are shown. */
  private volatile List<Node> nodes;

  /** All servers, those that came in first in front. */
  private volatile List<Node> order;

  /** Asks a server whether it is there. */
  public interface Probe {
    /** Completes with what is wrong with it, or null; never exceptionally. */
    CompletableFuture<String> ask(Node node);
  }

  /**
   * Servers that are all in.
   *
   * @param commits where it is kept who is out, or null where there is one server only
   * @param whenOut told of each that is put out
   */
  public Fleet(List<HostPort> servers, CommitLog commits, Consumer<Node> whenOut) {
    this.nodes = servers.stream().map(Node::new).toList();
    this.order = nodes;
    this.commits = commits;
    this.whenOut = whenOut;
  }

  /**
   * Set before anything is asked.
   *
   * @param leaderOut does what must be done before another leads, once the leader was put out
   */
  public void set(Probe probe, Supplier<CompletableFuture<Void>> leaderOut) {
    this.probe = probe;
    this.leaderOut = leaderOut;
  }

  /**
   * Whether what {@link #leader} answered before this call may be asked to write: all that was
   * decided under the leader before it is done.
   */
  public CompletableFuture<Void> ready() {
    return ready;
  }

  /** All, in or out, in the order in which they are shown. */
  public List<Node> nodes() {
    return nodes;
  }

  /** The one of an address, or null. */
  public Node find(HostPort address) {
    return nodes.stream().filter(node -> node.address().equals(address)).findFirst().orElse(null);
  }

  /** In the order in which they are shown. */
  public List<Node> sorted(Collection<Node> some) {
    return some.stream().sorted(Comparator.comparingInt(nodes::indexOf)).toList();
  }

  /** A number that goes round, so that sessions begin to read at different servers. */
  public int turn() {
    return turns.getAndIncrement();
  }

  /** The leader is the first. */
  public List<Node> in() {
    return order.stream().filter(Node::isIn).toList();
  }

  /** The one that executes writes first. */
  public Node leader() {
    for (Node node : order) {
      if (node.isIn()) {
        return node;
      }
    }
    throw new IllegalStateException("no server is in");
  }

  /**
   * Puts out a server that is away, so that it comes back by itself.
   *
   * @return whether it is out, by this call or before; false for the last one, which stays
   */
  public boolean eject(Node node, String why) {
    return eject(node, Ejection.AWAY, why);
  }

  /** The same for a server that is there, and too slow. */
  public boolean ejectLate(Node node, String why) {
    return eject(node, Ejection.LATE, why);
  }

  /** The same for one that was given what the leader did. */
  public boolean eject(Node node, Difference why) {
    return eject(node, why.kind(), why.text());
  }

  /** The same for a server of which rows may be others: it does not come back by itself. */
  public boolean ejectDiffering(Node node, String why) {
    return eject(node, Ejection.DIFFERS, why);
  }

  private boolean eject(Node node, Ejection kind, String why) {
    CompletableFuture<Void> next = null;
    synchronized (this) {
      if (!node.isIn()) {
        return true;
      }
      if (closed || in().size() == 1) {
        return false;
      }
      boolean leads = node == leader();
      long nowMs = System.currentTimeMillis();
      if (commits != null && !commits.isEnded()) {
        // In the order of the log: before it says that the server is out.
        commits.settledNumber().thenAccept(node::setHas);
      }
      if (!keep(node, new ServerState(kind.status(), why, nowMs))) {
        return false;
      }
      if (kind == Ejection.REMOVED) {
        forget(node);
      }
      if (leads) {
        CompletableFuture<Void> before = ready;
        next = new CompletableFuture<>();
        ready = CompletableFuture.allOf(before, next);
      }
      node.set(why, nowMs);
      node.ejections(kind).increment();
    }
    log.warn("The server {} is out: {}. The leader is {}", node, why, leader());
    whenOut.accept(node);
    if (next != null) {
      CompletableFuture<Void> done = next;
      leaderOut.get().whenComplete((nothing, cause) -> done.complete(null));
    }
    return true;
  }

  private void forget(Node node) {
    node.remove();
    nodes = nodes.stream().filter(other -> other != node).toList();
    order = order.stream().filter(other -> other != node).toList();
  }

  /**
   * A server is none of the servers any more.
   *
   * @param inMin so many must stay in
   * @throws IOException when it is one of the last, or another replicator leads
   */
  public void remove(Node node, int inMin) throws IOException {
    synchronized (this) {
      if (!node.isIn()) {
        if (closed || !keep(node, REMOVED)) {
          throw new IOException(CommitLog.DEPOSED);
        }
        forget(node);
        log.info("The server {} was removed", node);
        return;
      }
      requireMore(inMin);
    }
    if (!eject(node, Ejection.REMOVED, REMOVED.why())) {
      throw new IOException(node + " is the last one that is in, or another replicator leads");
    }
  }

  /**
   * Another server leads. The one that did is put out, and comes back by itself.
   *
   * @throws IOException when it leads already or is out, or fewer than {@code inMin} would be in
   */
  public void promote(Node node, int inMin) throws IOException {
    Node former = leader();
    synchronized (this) {
      if (!node.isIn() || node == former) {
        throw new IOException(node + (node.isIn() ? " leads already" : " is out: " + node.why()));
      }
      requireMore(inMin);
      List<Node> next = new ArrayList<>(in());
      next.remove(node);
      next.add(1, node);
      // The log has them in this order then, and so a restart.
      ServerState in = ServerState.in(System.currentTimeMillis());
      next.subList(2, next.size()).forEach(one -> keep(one, in));
      lead(next);
    }
    if (!eject(former, Ejection.PROMOTED, node + " was promoted")) {
      throw new IOException(CommitLog.DEPOSED);
    }
  }

  private void requireMore(int inMin) throws IOException {
    if (in().size() <= inMin) {
      throw new IOException("%d servers are in, and %d must be".formatted(in().size(), inMin));
    }
  }

  /** Whether it stands in the log; false when another replicator leads. */
  private boolean keep(Node node, ServerState state) {
    if (commits == null) {
      return true;
    }
    try {
      commits.change(node.toString(), state).get(KEEP_S, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException | TimeoutException | InterruptedException e) {
      if (commits.isEnded()) {
        return false;
      }
      // Nothing may be acknowledged that a restart would forget to be missing there.
      log.error("Cannot write that {} is {}; the replicator stops", node, state, e);
      Runtime.getRuntime().halt(1);
      return false;
    }
  }

  /**
   * Lets a server in that has all that was decided, while no commit is under way. It may be a new
   * one.
   */
  public synchronized void admit(Node node) throws IOException {
    if (closed) {
      throw new IOException("the replicator ends, or another has taken the servers over");
    }
    if (node.isRemoved()) {
      throw new IOException("it was removed");
    }
    List<Node> next = new ArrayList<>(order);
    next.remove(node);
    next.add(afterLastIn(next), node);
    if (!keep(node, ServerState.in(System.currentTimeMillis()))) {
      throw new IOException(CommitLog.DEPOSED);
    }
    order = List.copyOf(next);
    if (!nodes.contains(node)) {
      nodes = Stream.concat(nodes.stream(), Stream.of(node)).toList();
    }
    node.set(null, System.currentTimeMillis());
    node.admissions().increment();
    log.info("The server {} is in. The leader is {}", node, leader());
  }

  /** Those that are out may stand before others, until they come in again. */
  private static int afterLastIn(List<Node> order) {
    int after = 0;
    for (int i = 0; i < order.size(); i++) {
      after = order.get(i).isIn() ? i + 1 : after;
    }
    return after;
  }

  /** There are these servers, and they lead in that order; before sessions begin. */
  synchronized void restore(List<Node> all, List<Node> first) {
    nodes = List.copyOf(all);
    order = List.copyOf(first);
  }

  /** Puts nobody out any more: connections break because the replicator ends. */
  public synchronized void close() {
    closed = true;
  }

  /** What is to be done when another replicator orders; set before anything is asked. */
  public synchronized void whenDeposed(Runnable then) {
    whenDeposed = then;
  }

  /** Another replicator has taken the servers over: this one has nothing to say any more. */
  public void depose() {
    if (!isDeposed()) {
      log.warn("Another replicator orders now: this one commits no more");
      end();
    }
  }

  /** Nothing is decided here any more. */
  public void end() {
    Runnable then;
    synchronized (this) {
      if (deposed) {
        return;
      }
      closed = true;
      deposed = true;
      then = whenDeposed;
    }
    then.run();
  }

  /** Whether another replicator has taken the servers over. */
  public synchronized boolean isDeposed() {
    return deposed;
  }

  /** Sets in which order servers lead, before sessions begin. */
  public synchronized void lead(List<Node> first) {
    List<Node> next = new ArrayList<>(first);
    order.stream().filter(node -> !first.contains(node)).forEach(next::add);
    order = List.copyOf(next);
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** A connection broke: asks the server; completes with whether it is out now. */
  public CompletableFuture<Boolean> suspect(Node node) {
    if (!node.isIn()) {
      return CompletableFuture.completedFuture(true);
    }
    if (isClosed()) {
      return CompletableFuture.completedFuture(false);
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

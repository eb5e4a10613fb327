package io.mgtm.query.fleet;

import io.mgtm.group.Durability;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.OrderState;
import io.mgtm.query.order.Part;
import io.mgtm.query.order.Position;
import io.mgtm.query.order.ServerState;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/**
 * The log of commits, for as long as this replicator leads: what stands in it is decided.
 * Transactions that wait at the same time become one entry. Everything in it is touched by one
 * thread at a time, the {@link OrderLog}'s owner; its methods may be called by any thread.
 */
public final class CommitLog {
  static final String DEPOSED = "this replicator does not lead any more";

  /** Told, on the loop of whoever asked. */
  public interface Done {
    /**
     * It stands in the log.
     *
     * @param number of its entry
     * @param settled all entries up to this one are at all servers that are in
     */
    void decided(long number, long settled);

    /** It does not, and never will. */
    void refused(String why);

    /** Another replicator leads, and its log decides. */
    void inDoubt(String why);
  }

  /**
   * Entries that the log has still.
   *
   * @param next to go on with
   * @param dropped the slots of transactions that are to be nowhere, by number
   */
  public record Past(List<Entry> entries, long next, Map<Long, List<Integer>> dropped) {
    public Past {
      entries = List.copyOf(entries);
      dropped = Map.copyOf(dropped);
    }
  }

  /** An entry that is not committed. */
  private record Appended(long index, long number, LongConsumer then, Consumer<String> inDoubt) {}

  private final OrderLog order;
  private final Owner owner;
  private final OrderState state;
  private final long term;
  private final Lease lease;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final PreparedLog prepared;
  private final LabelRenames labels = new LabelRenames();
  private final ConcurrentLinkedQueue<WaitingCommit> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final ArrayDeque<Appended> uncommitted = new ArrayDeque<>();

  /** How many transactions of an entry are under way. */
  private final TreeMap<Long, Integer> underWay = new TreeMap<>();

  /** Number of the last entry that is. */
  private long committed;

  /** Written by the owner. */
  private volatile long lastCommits;

  /** Owner. */
  CommitLog(OrderLog order, long term, Lease lease) {
    this.order = order;
    this.owner = order.owner();
    this.state = order.state();
    this.term = term;
    this.lease = lease;
    this.committed = state.last();
    this.lastCommits = state.lastCommits();
    this.prepared = new PreparedLog(this, state, owner);
  }

  /** Of the group's leader. */
  public long term() {
    return term;
  }

  /** What clients have prepared. */
  public PreparedLog prepared() {
    return prepared;
  }

  /** Of what this log has since this replicator leads. */
  public LabelRenames labels() {
    return labels;
  }

  Lease lease() {
    return lease;
  }

  /** Whether no other replicator can have put a server out: only then a read may begin. */
  public boolean holdsLease() {
    return lease.holds();
  }

  /** Completes when this replicator does not lead any more: everything is refused from then on. */
  public CompletableFuture<Void> ended() {
    return ended;
  }

  /** Whether that has completed. */
  public boolean isEnded() {
    return ended.isDone();
  }

  /** Owner. */
  void end() {
    ended.complete(null);
    for (Appended one = uncommitted.poll(); one != null; one = uncommitted.poll()) {
      one.inDoubt.accept(DEPOSED);
    }
  }

  // ---- transactions ----------------------------------------------------------------------------

  /**
   * Decides a transaction; its session has no other under way.
   *
   * @param loop of the session, on which this is called
   */
  public void commit(Part part, LabelRenames.Of of, EventLoop loop, Done done) {
    if (isEnded()) {
      done.refused(DEPOSED);
      return;
    }
    WaitingCommit one = new WaitingCommit(part, of, loop, done);
    waiting.add(one);
    if (woken.compareAndSet(false, true)) {
      owner.run(this::appendWaiting);
    }
    one.brought();
  }

  private void appendWaiting() {
    woken.set(false);
    List<WaitingCommit> batch = new ArrayList<>();
    int bytes = Entry.COMMITS_BYTES;
    for (WaitingCommit next = waiting.poll(); next != null; next = waiting.poll()) {
      String refused = prepared.admit(next.labels());
      if (refused != null) {
        next.refuse(refused);
        continue;
      }
      int more = next.part().bytes();
      if (!batch.isEmpty() && bytes + more > ReplicatedLog.ENTRY_BYTES_MAX) {
        appendBatch(batch);
        batch = new ArrayList<>();
        bytes = Entry.COMMITS_BYTES;
      }
      bytes += more;
      batch.add(next);
    }
    if (!batch.isEmpty()) {
      appendBatch(batch);
    }
  }

  private void appendBatch(List<WaitingCommit> batch) {
    long settled = settledNow();
    long number = state.last() + 1;
    List<Part> parts = batch.stream().map(WaitingCommit::part).toList();
    boolean ends = parts.stream().anyMatch(part -> state.isPrepared(part.token()));
    underWay.put(number, batch.size());
    String refused =
        append(
            new Entry.Commits(number, settled, parts),
            ends ? Durability.REQUIRED : Durability.BUFFERED,
            decided -> batch.forEach(one -> one.tell(() -> one.done().decided(decided, settled))),
            why -> batch.forEach(one -> one.tell(() -> one.done().inDoubt(why))));
    if (refused != null) {
      underWay.remove(number);
      batch.forEach(one -> one.refuse(refused));
    } else {
      lastCommits = number;
    }
  }

  /** The number up to which all entries are at all servers that are in. */
  CompletableFuture<Long> settledNumber() {
    return CompletableFuture.supplyAsync(this::settledNow, owner::run);
  }

  private long settledNow() {
    return underWay.isEmpty() ? state.last() : underWay.firstKey() - 1;
  }

  /** A transaction of an entry is at all servers that are in, or was dropped. */
  public void settled(long number) {
    if (!isEnded()) {
      owner.run(() -> underWay.computeIfPresent(number, (n, left) -> left > 1 ? left - 1 : null));
    }
  }

  /**
   * Appends what the state is to be told.
   *
   * @param then told of its number once it is committed
   * @param inDoubt told why that will not be heard
   * @return why it is not appended, or null
   */
  private String append(
      Entry entry, Durability durability, LongConsumer then, Consumer<String> inDoubt) {
    ByteBuffer encoded = entry.encoded();
    String refused = isEnded() ? DEPOSED : order.refuses(encoded.remaining());
    if (refused != null) {
      return refused;
    }
    long index = order.append(entry, encoded, durability);
    uncommitted.add(new Appended(index, entry.number(), then, inDoubt));
    committed(order.committedIndex());
    return null;
  }

  /** Owner. */
  void committed(long index) {
    while (!uncommitted.isEmpty() && uncommitted.peek().index <= index) {
      Appended one = uncommitted.remove();
      committed = one.number;
      one.then.accept(one.number);
    }
  }

  // ---- everything else that is decided ---------------------------------------------------------

  CompletableFuture<Long> decide(LongFunction<Entry> entry, long above) {
    CompletableFuture<Long> done = new CompletableFuture<>();
    Consumer<String> fails = why -> done.completeExceptionally(new IOException(why));
    decide(entry, above, done::complete, fails, fails);
    return done;
  }

  /**
   * The same, for who is to know whether it may stand in the log nevertheless.
   *
   * @param entry makes it of its number; null where a renamed label keeps it out
   * @param refused told why it does not
   */
  void decide(
      LongFunction<Entry> entry,
      long above,
      LongConsumer then,
      Consumer<String> refused,
      Consumer<String> inDoubt) {
    if (isEnded()) {
      refused.accept(DEPOSED);
      return;
    }
    owner.run(
        () -> {
          Entry next = entry.apply(1 + Math.max(above, state.last()));
          String why =
              next == null
                  ? LabelRenames.RENAMED
                  : append(next, Durability.REQUIRED, then, inDoubt);
          if (why != null) {
            refused.accept(why);
          }
        });
  }

  /** A number to fence servers with, above one that was found at them. */
  public CompletableFuture<Long> fence(long above) {
    return decide(Entry.Fence::new, above);
  }

  /**
   * A server is in or out; completes when that is committed, and no other replicator reads there
   * any more that does not know of it.
   */
  public CompletableFuture<Long> change(String address, ServerState to) {
    CompletableFuture<Long> done = decide(number -> new Entry.Server(number, address, to), 0);
    return to.isIn() ? done : done.thenCombine(lease.formerEnds(), (number, ended) -> number);
  }

  /** Notes that all is at all servers that are in, where the log does not say so yet. */
  public void noteSettled() {
    owner.run(
        () -> {
          if (underWay.isEmpty() && !state.isSettled()) {
            Entry note = new Entry.Settled(state.last() + 1, state.lastCommits());
            append(note, Durability.BUFFERED, number -> {}, why -> {});
          }
        });
  }

  /** Whether this log tells what servers that are in may miss; at a start. */
  public boolean tells() throws IOException {
    long first = first();
    return order.call(() -> state.tellsFrom(first));
  }

  /** Where clients find this replicator, which leads now, and whether it serves them. */
  public CompletableFuture<Long> leads(String name, String address, ForwardKey key) {
    return decide(number -> new Entry.Leads(number, name, address, key.text()), 0);
  }

  /** A transaction that is at no server is to be at none. */
  public CompletableFuture<Long> drop(long of, int slot) {
    return decide(number -> new Entry.Dropped(number, of, slot), 0);
  }

  // ---- what it says ----------------------------------------------------------------------------

  /** The servers, the first that is in the leader. */
  public Map<String, ServerState> servers() throws IOException {
    return order.call(state::servers);
  }

  /** The number of the last entry that is committed. */
  public CompletableFuture<Long> lastNumber() {
    return CompletableFuture.supplyAsync(() -> committed, owner::run);
  }

  /** The number of the last entry with transactions. */
  public long lastCommits() {
    return lastCommits;
  }

  /** All entries up to this one were at all servers that were in; at a start. */
  public long settled() throws IOException {
    return order.call(state::settled);
  }

  /**
   * Whether what a server has, by database, is all of this log. Numbers alone do not tell: a log
   * that has lost its end gives them to other entries.
   */
  public boolean isOf(Map<String, Position> has) throws IOException {
    return order.call(
        () ->
            has.entrySet().stream()
                .allMatch(one -> committedPast().isOf(state, one.getKey(), one.getValue())));
  }

  /** All entries up to this one are at all servers that are in. */
  public long settledBy() throws IOException {
    return order.call(this::settledNow);
  }

  /** Whether no transaction is under way, or in doubt. */
  public boolean isQuiet() throws IOException {
    return order.call(underWay::isEmpty);
  }

  /** The lowest number that is still in the log; one above the last when there is none. */
  public long first() throws IOException {
    return order.call(() -> committedPast().firstNumber().orElse(state.last() + 1));
  }

  private PastNumbers committedPast() {
    return new PastNumbers(order.past(), order.committedIndex());
  }

  /** Entries above a number of which none is under way, until they have so many bytes. */
  public Past read(long above, int bytesMax) throws IOException {
    return order.call(() -> committedPast().read(above, settledNow(), bytesMax, state.dropped()));
  }
}

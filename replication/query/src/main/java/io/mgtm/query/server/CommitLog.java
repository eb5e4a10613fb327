package io.mgtm.query.server;

import io.mgtm.group.Durability;
import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.LoneLog;
import io.mgtm.group.member.MemberParts;
import io.mgtm.group.member.PastEntries;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.OrderState;
import io.mgtm.query.order.Part;
import io.mgtm.query.order.ServerState;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of commits: what stands in it is decided. Transactions that wait at the same time become
 * one entry. Everything in it is touched by one thread at a time, whose turn it is; its methods may
 * be called by any thread.
 */
final class CommitLog implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CommitLog.class);
  private static final int CLOSE_MS = 2_000;

  /** Told, on the loop of whoever asked. */
  interface Done {
    /**
     * It stands in the log.
     *
     * @param number of its entry
     * @param settled all entries up to this one are at all servers that are in
     */
    void decided(long number, long settled);

    /** It does not, and never will. */
    void refused(String why);
  }

  /**
   * Entries that the log has still.
   *
   * @param next to go on with
   * @param dropped the slots of transactions that are to be nowhere, by number
   */
  record Past(List<Entry> entries, long next, Map<Long, List<Integer>> dropped) {
    Past {
      entries = List.copyOf(entries);
      dropped = Map.copyOf(dropped);
    }
  }

  /** A transaction that is to be decided. What becomes of it is told outside of the turn. */
  private static final class Waiting {
    private final Part part;
    private final EventLoop loop;
    private final Done done;
    private final AtomicReference<Runnable> told = new AtomicReference<>();

    Waiting(Part part, EventLoop loop, Done done) {
      this.part = part;
      this.loop = loop;
      this.done = done;
    }

    /** Stands where what is told will find that the loop has gone on. */
    private static void nothingYet() {}

    void tell(Runnable what) {
      if (!told.compareAndSet(null, what)) {
        loop.execute(what);
      }
    }

    /** Its session's loop has brought it. */
    void brought() {
      if (!told.compareAndSet(null, Waiting::nothingYet)) {
        told.get().run();
      }
    }
  }

  private record Appended(long index, LongConsumer then, long number) {}

  private final DefaultEventLoop clock =
      new DefaultEventLoop(new DefaultThreadFactory("mgtm-query-log", true));
  private final Turns owner = new Turns(clock);
  private final ConcurrentLinkedQueue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final OrderState state = new OrderState();
  private final ArrayDeque<Appended> uncommitted = new ArrayDeque<>();

  /** How many transactions of an entry are under way. */
  private final TreeMap<Long, Integer> underWay = new TreeMap<>();

  private LoneLog file;

  private CommitLog() {}

  /**
   * Opens the log in a folder, or begins one.
   *
   * @param bytesMax how much of it is kept on disk
   * @throws IOException when it cannot be, or another replicator has it
   */
  static CommitLog open(Path folder, long bytesMax) throws IOException {
    CommitLog opened = new CommitLog();
    GroupSettings settings =
        GroupSettings.alone(DurabilityMode.CRITICAL, LogSettings.defaults(), bytesMax / 2);
    try {
      opened.file =
          opened.call(
              () ->
                  LoneLog.open(
                      MemberParts.open(folder, "query", opened.clock),
                      settings,
                      opened.new Machine(),
                      opened.owner,
                      opened.new Listener()));
      return opened;
    } catch (IOException e) {
      opened.close();
      boolean used =
          e.getCause() instanceof LogException why
              && why.category() == LogException.Category.IN_USE;
      throw used
          ? new IOException(
              "another replicator uses " + folder + ": give this one another --data", e)
          : e;
    }
  }

  private <T> T call(Callable<T> task) throws IOException {
    CompletableFuture<T> done = new CompletableFuture<>();
    owner.run(
        () -> {
          try {
            done.complete(task.call());
          } catch (Exception e) {
            done.completeExceptionally(e);
          }
        });
    return Steward.await(done);
  }

  // ---- transactions ----------------------------------------------------------------------------

  /**
   * Decides a transaction; its session has no other under way.
   *
   * @param loop of the session, on which this is called
   */
  void commit(Part part, EventLoop loop, Done done) {
    Waiting one = new Waiting(part, loop, done);
    waiting.add(one);
    if (woken.compareAndSet(false, true)) {
      owner.run(this::appendWaiting);
    }
    one.brought();
  }

  private void appendWaiting() {
    woken.set(false);
    List<Waiting> batch = new ArrayList<>();
    int bytes = Entry.COMMITS_BYTES;
    for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
      int more = next.part.bytes();
      if (!batch.isEmpty() && bytes + more > ReplicatedLog.ENTRY_BYTES_MAX) {
        appendBatch(batch);
        batch = new ArrayList<>();
        bytes = Entry.COMMITS_BYTES;
      }
      bytes += more;
      batch.add(waiting.remove());
    }
    if (!batch.isEmpty()) {
      appendBatch(batch);
    }
  }

  private void appendBatch(List<Waiting> batch) {
    long settled = settledNow();
    long number = state.last() + 1;
    List<Part> parts = batch.stream().map(one -> one.part).toList();
    underWay.put(number, batch.size());
    String refused =
        append(
            new Entry.Commits(number, settled, parts),
            Durability.BUFFERED,
            decided -> batch.forEach(one -> one.tell(() -> one.done.decided(decided, settled))));
    if (refused != null) {
      underWay.remove(number);
      batch.forEach(one -> one.tell(() -> one.done.refused(refused)));
    }
  }

  private long settledNow() {
    return underWay.isEmpty() ? state.last() : underWay.firstKey() - 1;
  }

  /** A transaction of an entry is at all servers that are in, or was dropped. */
  void settled(long number) {
    owner.run(() -> underWay.computeIfPresent(number, (n, left) -> left > 1 ? left - 1 : null));
  }

  /**
   * Appends what the state is to be told.
   *
   * @param then told of its number once it is committed
   * @return why there is no room, or null
   */
  private String append(Entry entry, Durability durability, LongConsumer then) {
    ByteBuffer encoded = entry.encoded();
    if (!file.hasRoom(encoded.remaining())) {
      return file.noRoomReason();
    }
    state.apply(entry);
    long index = file.append(encoded, durability);
    uncommitted.add(new Appended(index, then, entry.number()));
    committed(file.committedIndex());
    return null;
  }

  private void committed(long index) {
    while (!uncommitted.isEmpty() && uncommitted.peek().index <= index) {
      Appended one = uncommitted.remove();
      one.then.accept(one.number);
    }
  }

  // ---- everything else that is decided ---------------------------------------------------------

  private CompletableFuture<Long> decide(LongFunction<Entry> entry, long above) {
    CompletableFuture<Long> done = new CompletableFuture<>();
    owner.run(
        () -> {
          Entry next = entry.apply(1 + Math.max(above, state.last()));
          String refused = append(next, Durability.REQUIRED, done::complete);
          if (refused != null) {
            done.completeExceptionally(new IOException(refused));
          }
        });
    return done;
  }

  /** A number to fence servers with, above one that was found at them. */
  CompletableFuture<Long> fence(long above) {
    return decide(Entry.Fence::new, above);
  }

  /** A server is in or out; completes when that is on disk. */
  CompletableFuture<Long> change(String address, ServerState to) {
    return decide(number -> new Entry.Server(number, address, to), 0);
  }

  /** A transaction that is at no server is to be at none. */
  CompletableFuture<Long> drop(long of, int slot) {
    return decide(number -> new Entry.Dropped(number, of, slot), 0);
  }

  // ---- what it says ----------------------------------------------------------------------------

  /** The servers, the first that is in the leader. */
  Map<String, ServerState> servers() throws IOException {
    return call(state::servers);
  }

  /** The number of the last entry. */
  CompletableFuture<Long> lastNumber() {
    CompletableFuture<Long> last = new CompletableFuture<>();
    owner.run(() -> last.complete(state.last()));
    return last;
  }

  /** All entries up to this one were at all servers that were in; at a start. */
  long settled() throws IOException {
    return call(state::settled);
  }

  /** Whether a fence at a server is of a replicator with this log. */
  boolean mayHaveFenced(long with) throws IOException {
    return call(() -> state.mayHaveFenced(with));
  }

  /** All entries up to this one are at all servers that are in. */
  long settledBy() throws IOException {
    return call(this::settledNow);
  }

  /** Whether no transaction is under way, or in doubt. */
  boolean isQuiet() throws IOException {
    return call(underWay::isEmpty);
  }

  /** The lowest number that is still in the log; one above the last when there is none. */
  long first() throws IOException {
    return call(
        () -> {
          PastEntries past = PastEntries.of(file);
          long[] first = at(past, past.firstIndex(), file.committedIndex());
          return first == null ? state.last() + 1 : first[1];
        });
  }

  /** Entries above a number of which none is under way, until they have so many bytes. */
  Past read(long above, int bytesMax) throws IOException {
    return call(() -> readPast(above, bytesMax));
  }

  private Past readPast(long above, int bytesMax) {
    PastEntries past = PastEntries.of(file);
    long end = file.committedIndex();
    List<Entry> entries = new ArrayList<>();
    long[] next = {above};
    long from = indexAbove(past, above, end);
    long settled = settledNow();
    if (from <= end && above < settled) {
      past.read(
          from,
          end,
          bytesMax,
          (index, payload) -> {
            if (Entry.numberOf(payload) <= settled) {
              next[0] = Entry.numberOf(payload);
              entries.add(Entry.decoded(payload));
            }
          });
    }
    return new Past(entries, next[0], state.dropped());
  }

  /** The lowest index of which the number is higher. */
  private static long indexAbove(PastEntries past, long above, long end) {
    long low = past.firstIndex();
    long high = end + 1;
    while (low < high) {
      long middle = (low + high) >>> 1;
      long[] at = at(past, middle, high - 1);
      if (at == null || at[1] > above) {
        high = middle;
      } else {
        low = at[0] + 1;
      }
    }
    return low;
  }

  /** Index and number of the first entry that means something, from an index on; or null. */
  private static long[] at(PastEntries past, long from, long end) {
    for (long index = from; index <= end; index++) {
      long[] found = new long[2];
      past.read(
          index,
          index,
          1,
          (at, payload) -> {
            found[0] = at;
            found[1] = Entry.numberOf(payload);
          });
      if (found[0] > 0) {
        return found;
      }
    }
    return null;
  }

  @Override
  public void close() {
    try {
      if (file != null) {
        call(
            () -> {
              file.close();
              return null;
            });
      }
    } catch (IOException e) {
      log.warn("The log of commits was not closed in order: {}", e.getMessage());
    } finally {
      clock.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
  }

  /** What entries mean. */
  private final class Machine implements StateMachine {
    @Override
    public void apply(long index, ByteBuffer payload) {
      try {
        state.apply(Entry.decoded(payload));
      } catch (IllegalArgumentException e) {
        throw new LogException(
            LogException.Category.FORMAT, "The log of commits: " + e.getMessage());
      }
    }

    @Override
    public StatePicture picture() {
      ByteBuffer encoded = state.encoded();
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return StatePicture.of(bytes);
    }

    @Override
    public Runnable load(Pieces encoded) {
      OrderState loaded = OrderState.decoded(encoded.rest());
      return () -> state.replaceBy(loaded);
    }
  }

  /** What happens to the log. */
  private final class Listener implements ReplicatedLog.Listener {
    @Override
    public void committed(long index) {
      CommitLog.this.committed(index);
    }

    @Override
    public void failed(LogException cause) {
      // Nothing may be acknowledged any more that a start would not find.
      log.error("The log of commits has failed; the replicator stops", cause);
      Runtime.getRuntime().halt(1);
    }
  }
}

package io.mgtm.gtm.state;

import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.command.TransactionState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The open transactions and what snapshots need to know of them: which gxids are running, the
 * newest that has ended, and the oldest xmin that somebody holds.
 */
final class TransactionTable {
  private static final int XMIN_SLACK = 1_024;

  private final Int2ObjectHashMap<Transaction> byGxid = new Int2ObjectHashMap<>();
  private final Int2ObjectHashMap<Transaction> byHandle = new Int2ObjectHashMap<>();
  private final Map<String, Transaction> byGid = new HashMap<>();
  private final RunningGxids running = new RunningGxids();

  /** Holders of an xmin, in the order in which they took it, which is that of the xmins. */
  private final ArrayDeque<Transaction> xminHolders = new ArrayDeque<>();

  private Transaction oldest;
  private Transaction newest;
  private int count;
  private int lastHandle = -1;
  private long latestCompleted;
  private long recentGlobalXmin;

  TransactionTable(long latestCompleted) {
    this.latestCompleted = latestCompleted;
  }

  /** As it is now, to be listed: nothing can be found in it. */
  TransactionTable picture() {
    TransactionTable picture = new TransactionTable(latestCompleted);
    picture.lastHandle = lastHandle;
    picture.recentGlobalXmin = recentGlobalXmin;
    forEach(transaction -> picture.link(transaction.picture()));
    return picture;
  }

  int count() {
    return count;
  }

  int preparedCount() {
    return byGid.size();
  }

  int lastHandle() {
    return lastHandle;
  }

  void setLastHandle(int handle) {
    lastHandle = handle;
  }

  long latestCompleted() {
    return latestCompleted;
  }

  void setLatestCompleted(long gxid) {
    latestCompleted = gxid;
  }

  /** The oldest xmin that was held when the last snapshot was taken. */
  long recentGlobalXmin() {
    return recentGlobalXmin;
  }

  void setRecentGlobalXmin(long gxid) {
    recentGlobalXmin = gxid;
  }

  /** The xmax of a snapshot taken now. */
  long xmax() {
    return GxidMath.next(latestCompleted);
  }

  /** How many transactions a snapshot taken now lists; a gxid that is given now is not one. */
  int listed() {
    return running.countBefore(GxidMath.wire(xmax()));
  }

  /**
   * The xmin of a snapshot taken now.
   *
   * @param listed what {@link #listed} says
   * @param nextGxid the gxid that is given next
   */
  long xmin(int listed, long nextGxid) {
    return listed == 0 ? xmax() : GxidMath.notAfter(nextGxid, running.first());
  }

  RunningGxids running() {
    return running;
  }

  /** The handle for a new transaction: counted up from the last, those in use left out. */
  int nextHandle() {
    int handle = lastHandle;
    do {
      handle = handle == Integer.MAX_VALUE ? 0 : handle + 1;
    } while (byHandle.containsKey(handle));
    lastHandle = handle;
    return handle;
  }

  /** Adds an open transaction, with or without a gxid. */
  void add(Transaction transaction) {
    link(transaction);
    if (transaction.gxid == 0) {
      transaction.handleGiven = true;
      byHandle.put(transaction.handle, transaction);
    } else {
      indexGxid(transaction);
    }
  }

  private void link(Transaction transaction) {
    transaction.previous = newest;
    if (newest == null) {
      oldest = transaction;
    } else {
      newest.next = transaction;
    }
    newest = transaction;
    count++;
  }

  /** Gives a transaction that has none its gxid. */
  void assign(Transaction transaction, long gxid) {
    transaction.gxid = gxid;
    indexGxid(transaction);
  }

  private void indexGxid(Transaction transaction) {
    int wire = GxidMath.wire(transaction.gxid);
    if (byGxid.put(wire, transaction) != null) {
      throw new IllegalStateException("gxid " + transaction.gxid + " is given already");
    }
    if (!transaction.vacuum) {
      running.add(wire);
    }
  }

  /** The open transaction that {@code ref} names, or null. */
  Transaction find(TransactionRef ref) {
    return ref.byGxid() ? byGxid.get(ref.value()) : byHandle.get(ref.value());
  }

  /** The transaction that is prepared, or being prepared, under this GID, or null. */
  Transaction findGid(String gid) {
    return byGid.get(gid);
  }

  void startPrepare(Transaction transaction, String gid, String nodes) {
    if (transaction.hasGid()) {
      byGid.remove(transaction.gid);
    }
    transaction.gid = gid;
    transaction.nodes = nodes;
    transaction.state = TransactionState.PREPARE_IN_PROGRESS;
    byGid.put(gid, transaction);
  }

  void prepare(Transaction transaction) {
    transaction.state = TransactionState.PREPARED;
  }

  /** Takes an ended transaction out. */
  void end(Transaction transaction) {
    unlink(transaction);
    if (transaction.handleGiven) {
      byHandle.remove(transaction.handle);
    }
    if (transaction.hasGid()) {
      byGid.remove(transaction.gid);
    }
    if (transaction.gxid == 0) {
      return;
    }
    int wire = GxidMath.wire(transaction.gxid);
    byGxid.remove(wire);
    if (!transaction.vacuum) {
      running.remove(wire);
    }
    if (transaction.gxid > latestCompleted) {
      latestCompleted = transaction.gxid;
    }
  }

  private void unlink(Transaction transaction) {
    if (transaction.previous == null) {
      oldest = transaction.next;
    } else {
      transaction.previous.next = transaction.next;
    }
    if (transaction.next == null) {
      newest = transaction.previous;
    } else {
      transaction.next.previous = transaction.previous;
    }
    transaction.previous = null;
    transaction.next = null;
    transaction.open = false;
    count--;
  }

  /** Ends every transaction that matches; true when there was one. */
  boolean endAll(Predicate<Transaction> matching) {
    boolean any = false;
    for (Transaction t = oldest; t != null; ) {
      Transaction following = t.next;
      if (matching.test(t)) {
        end(t);
        any = true;
      }
      t = following;
    }
    return any;
  }

  void forEach(Consumer<Transaction> action) {
    for (Transaction t = oldest; t != null; t = t.next) {
      action.accept(t);
    }
  }

  /** Lets a transaction hold {@code xmin}; xmins come in ascending order. */
  void holdXmin(Transaction transaction, long xmin) {
    transaction.xmin = xmin;
    if (transaction.vacuum) {
      return;
    }
    Transaction last = xminHolders.peekLast();
    if (last != null && last.open && last.xmin > xmin) {
      throw new IllegalStateException("xmin went back from " + last.xmin + " to " + xmin);
    }
    if (xminHolders.size() > 2 * count + XMIN_SLACK) {
      xminHolders.removeIf(t -> !t.open);
    }
    xminHolders.addLast(transaction);
  }

  /** The oldest xmin that an open transaction holds, or {@code none}. */
  long oldestXmin(long none) {
    Transaction holder = xminHolders.peekFirst();
    while (holder != null && !holder.open) {
      xminHolders.removeFirst();
      holder = xminHolders.peekFirst();
    }
    return holder == null ? none : holder.xmin;
  }

  /**
   * Fills an empty table with the transactions of a checkpoint, which come in the order of begin.
   */
  void restore(List<Transaction> transactions) {
    transactions.forEach(this::link);
    List<Transaction> withGxid = new ArrayList<>(transactions);
    withGxid.removeIf(t -> t.gxid == 0);
    withGxid.sort(Comparator.comparingLong(t -> t.gxid));
    withGxid.forEach(this::indexGxid);
    for (Transaction t : transactions) {
      if (t.handleGiven && byHandle.put(t.handle, t) != null) {
        throw new IllegalStateException("handle " + t.handle + " is given already");
      }
      if (t.hasGid() && byGid.put(t.gid, t) != null) {
        throw new IllegalStateException("a GID is in use twice");
      }
    }
    List<Transaction> holders = new ArrayList<>(transactions);
    holders.removeIf(t -> t.xmin == 0 || t.vacuum);
    holders.sort(Comparator.comparingLong(t -> t.xmin));
    xminHolders.addAll(holders);
  }
}

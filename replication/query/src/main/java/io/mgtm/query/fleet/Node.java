package io.mgtm.query.fleet;

import io.mgtm.common.HostPort;
import io.mgtm.query.wire.ErrorFields;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** One server as all sessions see it. Any thread; {@link Fleet} alone puts it in and out. */
public final class Node {
  /** As a number of an entry, and as how far it is behind. */
  public static final long UNKNOWN = -1;

  private final HostPort address;
  private final AtomicInteger running = new AtomicInteger();
  private final LongAdder reads = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder effects = new LongAdder();
  private final LongAdder admissions = new LongAdder();
  private final Map<Ejection, LongAdder> ejections = new EnumMap<>(Ejection.class);
  private volatile Timer latency;

  /** Commits that are decided, and that it has not confirmed. */
  private final AtomicInteger owed = new AtomicInteger();

  /** While it is out, the number of an entry of the log: it has all up to that one. */
  private volatile long has = UNKNOWN;

  /** Why it is out, or null while it is in. */
  private volatile String why;

  private volatile long outSinceMs;
  private volatile boolean removed;

  /** Set before it is in. */
  private volatile long fence;

  private volatile ServerKind kind = ServerKind.UNKNOWN;

  /** One that is in, as long as nothing else is known. */
  public Node(HostPort address) {
    this.address = address;
    for (Ejection kind : Ejection.values()) {
      ejections.put(kind, new LongAdder());
    }
  }

  /** One that is being added: it is out until {@link Fleet} lets it in. */
  public static Node newcomer(HostPort address) {
    Node node = new Node(address);
    node.set("it is being added", System.currentTimeMillis());
    return node;
  }

  /** Where it is reached. */
  public HostPort address() {
    return address;
  }

  /** Whether it has all that is committed, and is given what will be. */
  public boolean isIn() {
    return why == null;
  }

  /** For what reason it is out; null while it is in. */
  public String why() {
    return why;
  }

  /** What a client is told whose session has locks there, or listens. */
  public ErrorFields lost() {
    String message =
        "the server at %s, where this session had its locks, LISTEN or temporary tables, is out: %s";
    return ErrorFields.fatal("57P01", message.formatted(this, why)).withHint("Connect again.");
  }

  /** What a client is told whose transaction was open there. */
  public ErrorFields moved() {
    return ErrorFields.error("40001", "the server at " + this + " is out: " + why)
        .withHint("Repeat the transaction; another server has taken over.");
  }

  /** Since when it is out, or in, in milliseconds since 1970. */
  public long outSinceMs() {
    return outSinceMs;
  }

  void set(String reason, long nowMs) {
    why = reason;
    outSinceMs = nowMs;
  }

  /** It is out for another reason now than it was. */
  public void staysOut(String reason) {
    set(reason, outSinceMs);
  }

  /** It is none of the servers any more. */
  public boolean isRemoved() {
    return removed;
  }

  void remove() {
    removed = true;
  }

  /** By this it knows that a commit is of the replicator that has taken it over last. */
  public long fence() {
    return fence;
  }

  /** It is taken over: commits are to name this from now on. */
  public void setFence(long to) {
    fence = to;
  }

  /** As it was when it was asked last, which is before it is in. */
  public ServerKind kind() {
    return kind;
  }

  /** It was asked what it is. */
  public void setKind(ServerKind to) {
    kind = to;
  }

  /** Requests that it has not answered. */
  public int running() {
    return running.get();
  }

  /** It is given a request. */
  public void begun() {
    running.incrementAndGet();
  }

  /** It has answered one, or will not any more. */
  public void ended() {
    running.decrementAndGet();
  }

  /** Units of only reads that it was given. */
  public LongAdder reads() {
    return reads;
  }

  /** Statements that it was given as the leader. */
  public LongAdder writes() {
    return writes;
  }

  /** Effects of the leader's that it was given. */
  public LongAdder effects() {
    return effects;
  }

  /** How often it was put out. */
  public LongAdder ejections(Ejection kind) {
    return ejections.get(kind);
  }

  /** How often it was let in while others were at work. */
  public LongAdder admissions() {
    return admissions;
  }

  /** What is asked of it is timed from now on. */
  public void time(Timer by) {
    latency = by;
  }

  /** A request took so long, to the end of its answer. */
  public void took(long nanos) {
    Timer by = latency;
    if (by != null) {
      by.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  /** A commit is decided that it is to do. */
  public void owes() {
    owed.incrementAndGet();
  }

  /** It has done so, or will not any more. */
  public void owesNoMore() {
    owed.decrementAndGet();
  }

  /**
   * It is out, and has all entries of the log up to this one.
   *
   * @param number or {@link #UNKNOWN}
   */
  public void setHas(long number) {
    has = number;
  }

  /**
   * How far it is behind the log: while it is in, the commits that it has not confirmed, else the
   * entries that it misses at most, or {@link #UNKNOWN}.
   *
   * @param last the number of the last entry with commits
   */
  public long behind(long last) {
    long from = has;
    return isIn() ? owed.get() : from == UNKNOWN ? UNKNOWN : Math.max(0, last - from);
  }

  @Override
  public String toString() {
    return address.toString();
  }
}

package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import io.mgtm.query.wire.ErrorFields;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** One server as all sessions see it. Any thread; {@link Fleet} alone puts it in and out. */
final class Node {
  /** As a number of an entry, and as how far it is behind. */
  static final long UNKNOWN = -1;

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

  Node(HostPort address) {
    this.address = address;
    for (Ejection kind : Ejection.values()) {
      ejections.put(kind, new LongAdder());
    }
  }

  /** One that is being added: it is out until {@link Fleet} lets it in. */
  static Node newcomer(HostPort address) {
    Node node = new Node(address);
    node.set("it is being added", System.currentTimeMillis());
    return node;
  }

  HostPort address() {
    return address;
  }

  boolean isIn() {
    return why == null;
  }

  String why() {
    return why;
  }

  /** What a client is told whose session has locks there, or listens. */
  ErrorFields lost() {
    String message =
        "the server at %s, where this session had its locks, LISTEN or temporary tables, is out: %s";
    return ErrorFields.fatal("57P01", message.formatted(this, why)).withHint("Connect again.");
  }

  /** What a client is told whose transaction was open there. */
  ErrorFields moved() {
    return ErrorFields.error("40001", "the server at " + this + " is out: " + why)
        .withHint("Repeat the transaction; another server has taken over.");
  }

  long outSinceMs() {
    return outSinceMs;
  }

  void set(String reason, long nowMs) {
    why = reason;
    outSinceMs = nowMs;
  }

  /** It is out for another reason now than it was. */
  void staysOut(String reason) {
    set(reason, outSinceMs);
  }

  /** It is none of the servers any more. */
  boolean isRemoved() {
    return removed;
  }

  void remove() {
    removed = true;
  }

  /** By this it knows that a commit is of the replicator that has taken it over last. */
  long fence() {
    return fence;
  }

  void setFence(long to) {
    fence = to;
  }

  /** As it was when it was asked last, which is before it is in. */
  ServerKind kind() {
    return kind;
  }

  void setKind(ServerKind to) {
    kind = to;
  }

  /** Requests that it has not answered. */
  int running() {
    return running.get();
  }

  void begun() {
    running.incrementAndGet();
  }

  void ended() {
    running.decrementAndGet();
  }

  /** Units of only reads that it was given, statements as the leader, effects of the leader's. */
  LongAdder reads() {
    return reads;
  }

  LongAdder writes() {
    return writes;
  }

  LongAdder effects() {
    return effects;
  }

  /** How often it was put out. */
  LongAdder ejections(Ejection kind) {
    return ejections.get(kind);
  }

  /** How often it was let in while others were at work. */
  LongAdder admissions() {
    return admissions;
  }

  /** What is asked of it is timed from now on. */
  void time(Timer by) {
    latency = by;
  }

  /** A request took so long, to the end of its answer. */
  void took(long nanos) {
    Timer by = latency;
    if (by != null) {
      by.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  /** A commit is decided that it is to do. */
  void owes() {
    owed.incrementAndGet();
  }

  /** It has done so, or will not any more. */
  void owesNoMore() {
    owed.decrementAndGet();
  }

  /**
   * It is out, and has all entries of the log up to this one.
   *
   * @param number or {@link #UNKNOWN}
   */
  void setHas(long number) {
    has = number;
  }

  /**
   * How far it is behind the log: while it is in, the commits that it has not confirmed, else the
   * entries that it misses at most, or {@link #UNKNOWN}.
   *
   * @param last the number of the last entry with commits
   */
  long behind(long last) {
    long from = has;
    return isIn() ? owed.get() : from == UNKNOWN ? UNKNOWN : Math.max(0, last - from);
  }

  @Override
  public String toString() {
    return address.toString();
  }
}

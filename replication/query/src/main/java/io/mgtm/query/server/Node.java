package io.mgtm.query.server;

import io.mgtm.common.HostPort;
import io.mgtm.query.wire.ErrorFields;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** One server as all sessions see it. Any thread; {@link Fleet} alone puts it in and out. */
final class Node {
  private final HostPort address;
  private final AtomicInteger running = new AtomicInteger();
  private final LongAdder reads = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder effects = new LongAdder();

  /** Why it is out, or null while it is in. */
  private volatile String why;

  private volatile long outSinceMs;
  private volatile boolean removed;

  /** Set before it is in. */
  private volatile long fence;

  private volatile ServerKind kind = ServerKind.UNKNOWN;

  Node(HostPort address) {
    this.address = address;
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
    String message = "the server at %s, where this session had its locks or LISTEN, is out: %s";
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

  @Override
  public String toString() {
    return address.toString();
  }
}

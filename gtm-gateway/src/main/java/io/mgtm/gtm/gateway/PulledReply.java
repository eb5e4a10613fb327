package io.mgtm.gtm.gateway;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * A long reply that a node has ready. Whoever it is for takes it piece by piece, each asked for
 * when the client's socket has room, so that others' replies come between them. It comes by the
 * link by which it was told, also when another node leads meanwhile. Event loop.
 */
final class PulledReply {
  /** Whoever it is for. */
  interface Taker {
    /**
     * A piece that was asked for.
     *
     * @param last whether it is the last one
     * @param bytes valid during the call
     */
    void piece(boolean last, ByteBuf bytes);

    /** There will be no more of it. */
    void lost();
  }

  private final Link link;
  private final long id;
  private final Consumer<PulledReply> ended;
  private Taker taker;
  private long left;
  private boolean asked;
  private boolean over;

  /**
   * A reply of which nothing was asked for.
   *
   * @param bytes of all pieces
   * @param ended called once, when no more of it will come
   */
  PulledReply(Link link, long id, long bytes, Consumer<PulledReply> ended) {
    this.link = link;
    this.id = id;
    this.left = bytes;
    this.ended = ended;
  }

  /** Says whose it is, before anything is asked for. */
  void takenBy(Taker of) {
    taker = of;
  }

  /** Asks for the next piece, unless one is on its way. */
  void pull() {
    if (!asked && !over) {
      asked = true;
      link.pull(id, true);
      link.flush();
    }
  }

  /** The client has gone. */
  void drop() {
    if (end()) {
      link.pull(id, false);
      link.flush();
    }
  }

  /** A piece has come; false when it is none that may come. */
  boolean piece(ByteBuf bytes) {
    if (!asked || bytes.readableBytes() > left) {
      return false;
    }
    asked = false;
    left -= bytes.readableBytes();
    if (!bytes.isReadable()) {
      lost();
    } else {
      if (left == 0) {
        end();
      }
      taker.piece(left == 0, bytes);
    }
    return true;
  }

  /** Whether it comes by this link. */
  boolean comesBy(Link by) {
    return link == by;
  }

  /** Whether it is this one of that link. */
  boolean is(Link by, long of) {
    return link == by && id == of;
  }

  /** The node no longer has it, or its link broke. */
  void lost() {
    if (end()) {
      taker.lost();
    }
  }

  private boolean end() {
    boolean first = !over;
    over = true;
    if (first) {
      ended.accept(this);
    }
    return first;
  }
}

package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.xc12.ListReply;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Lists that gateways take piece by piece, between other replies: a gateway is told in the list's
 * place that it is ready, and asks for one piece after the other as its client takes them. Each
 * lives as long as its link. Owner thread.
 */
public final class LongLists {
  /** One piece, about. */
  private static final int PIECE_BYTES = 128 * 1024;

  /** A gateway whose client takes nothing for this long has lost the list. */
  private static final long IDLE_MS = 120_000;

  private static final class Ready {
    final GatewayPeer peer;
    final ListReply list;
    long takenMs;
    boolean asked;

    Ready(GatewayPeer peer, ListReply list, long nowMs) {
      this.peer = peer;
      this.list = list;
      this.takenMs = nowMs;
    }
  }

  private final ListAdmission admission = new ListAdmission();
  private final Map<Long, Ready> ready = new HashMap<>();
  private long lastId;

  ListAdmission admission() {
    return admission;
  }

  /**
   * Keeps a list for a gateway.
   *
   * @return null, or the error that its client gets instead
   */
  Reply.Rejected keep(GatewayPeer peer, ListReply list, long nowMs) {
    Reply.Rejected refused = admission.begin(list);
    if (refused == null) {
      ready.put(++lastId, new Ready(peer, list, nowMs));
    }
    return refused;
  }

  /** What {@link #keep} kept last. */
  long lastId() {
    return lastId;
  }

  /**
   * A gateway asks for the next piece, or wants none any more. A piece without bytes tells that
   * there is no such list, or it has ended.
   */
  public void pull(GatewayPeer peer, long id, boolean more, long nowMs) {
    Ready of = ready.get(id);
    boolean its = of != null && of.peer == peer;
    if (its && (!more || of.list.isDone())) {
      drop(id);
    }
    if (!more) {
      return;
    }
    ByteBuf out = peer.newBuffer();
    LinkWriter.piece(
        out,
        id,
        to -> {
          if (its && !of.list.isDone()) {
            of.takenMs = nowMs;
            of.asked = true;
            of.list.write(to, PIECE_BYTES);
          }
        });
    if (its && of.list.isDone()) {
      drop(id);
    }
    peer.write(out);
    peer.flush();
  }

  private void drop(long id) {
    Ready dropped = ready.remove(id);
    if (dropped != null) {
      admission.end(dropped.list);
    }
  }

  /** A link has ended. */
  void gone(GatewayPeer peer) {
    dropIf(of -> of.peer == peer);
  }

  /** Called now and then. */
  public void tick(long nowMs) {
    dropIf(of -> nowMs - of.takenMs > IDLE_MS);
  }

  /**
   * What has not left by now never will. A list of which a gateway has a part was committed when it
   * began, and goes on, whoever leads.
   */
  void dropUntold() {
    dropIf(of -> !of.asked);
  }

  /** None is of use any more. */
  void clear() {
    dropIf(of -> true);
  }

  private void dropIf(Predicate<Ready> which) {
    for (Iterator<Ready> all = ready.values().iterator(); all.hasNext(); ) {
      Ready of = all.next();
      if (which.test(of)) {
        all.remove();
        admission.end(of.list);
      }
    }
  }
}

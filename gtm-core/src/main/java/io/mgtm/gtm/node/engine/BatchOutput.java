package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.net.FittedBuffer;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Map;

/**
 * What one batch of the owner has to say to the links, one buffer each, so that it leaves in one
 * write. Owner thread.
 */
public final class BatchOutput {
  /** About what an output that waits takes beside its frames. */
  private static final int HELD_BYTES = 512;

  private final Map<GatewayPeer, ByteBuf> byPeer = new HashMap<>(4);

  /** Where frames for a link are written. */
  public ByteBuf to(GatewayPeer peer) {
    return byPeer.computeIfAbsent(peer, GatewayPeer::newBuffer);
  }

  /** What goes to this node's own gateway, taken out. */
  BatchOutput takeOwn() {
    BatchOutput own = new BatchOutput();
    byPeer
        .entrySet()
        .removeIf(
            entry -> {
              boolean its = entry.getKey().isOwn();
              if (its) {
                own.byPeer.put(entry.getKey(), entry.getValue());
              }
              return its;
            });
    return own;
  }

  /** Gives each link what its frames rest on, before them. */
  void writeEntries(EntryTrail trail, long index) {
    for (GatewayPeer peer : byPeer.keySet()) {
      ByteBuf entries = peer.newBuffer();
      trail.write(peer, index, entries);
      if (entries.isReadable()) {
        peer.write(entries);
      } else {
        entries.release();
      }
    }
  }

  public void refuse(
      GatewayPeer peer, long session, RefusalCode code, String message, String hint) {
    LinkWriter.refused(to(peer), session, code, message, hint);
  }

  /** Tells a link why its session does not go on. */
  public void refuse(GatewayPeer peer, long session, SessionRules.Refusal why) {
    refuse(peer, session, why.code(), why.message(), why.hint());
  }

  boolean isEmpty() {
    return byPeer.isEmpty();
  }

  /** It is whole and waits for the log, as the links are told: each by what that takes. */
  void hold() {
    byPeer.replaceAll((peer, frames) -> FittedBuffer.of(frames));
    byPeer.forEach((peer, frames) -> peer.held(HELD_BYTES + frames.readableBytes()));
  }

  /** The links are told that it no longer waits. */
  void unhold() {
    byPeer.forEach((peer, frames) -> peer.held(-HELD_BYTES - frames.readableBytes()));
  }

  /** Gives all to the links; {@link #flush} lets it leave. */
  public void write() {
    byPeer.forEach(GatewayPeer::write);
  }

  public void flush() {
    byPeer.keySet().forEach(GatewayPeer::flush);
  }

  /** Lets all leave at once. */
  public void writeAndFlush() {
    write();
    flush();
  }

  /** It was given to the links, and does not leave: they are closed. */
  void abort() {
    byPeer.keySet().forEach(GatewayPeer::abort);
  }

  /** It will never leave. */
  public void drop() {
    byPeer.values().forEach(ByteBuf::release);
    byPeer.clear();
  }
}

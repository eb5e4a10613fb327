package io.mgtm.gtm.node;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.gateway.Link;
import io.mgtm.gtm.gateway.LinkListener;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.GatewayFrameDecoder;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.NodeFrameDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * A gateway's link to a node of a simulation: what the gateway asks becomes the node's work, the
 * node's frames are decoded as the gateway's socket does it, and a wire carries both.
 */
public class SimulatedLink implements Link, GatewayPeer {

  /** Carries messages in their order until it breaks. */
  public interface Wire {
    void toNode(Runnable message);

    void toGateway(Runnable message);

    /** One end has closed it. */
    void end(String why);
  }

  private final String gateway;
  private final GatewayKind kind;
  private final boolean own;
  private final int number;
  private final SimulatedNode node;
  private final LinkListener listener;
  private final Wire wire;
  private final NodeFrameDecoder decoder;
  private List<ByteBuf> written = new ArrayList<>();

  /**
   * A link that is being opened.
   *
   * @param own whether the gateway is the node's own
   * @param number another one for each link, the same in each run of a seed
   */
  public SimulatedLink(
      String gateway,
      GatewayKind kind,
      boolean own,
      int number,
      SimulatedNode node,
      LinkListener listener,
      Wire wire) {
    this.gateway = gateway;
    this.kind = kind;
    this.own = own;
    this.number = number;
    this.node = node;
    this.listener = listener;
    this.decoder = new NodeFrameDecoder(LinkFormat.FRAME_BYTES_MAX, listener);
    this.wire = wire;
  }

  /** The connection is there. */
  public void open() {
    wire.toNode(() -> node.peers().add(this));
  }

  /** The engine's maps go by it. */
  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  /** The node learns that the gateway has gone. */
  public void gone() {
    if (node.peers().remove(this)) {
      node.submit(new LinkWork.Gone(this));
    }
  }

  /** The gateway learns that the node has gone. */
  public void closed(String why) {
    listener.closed(why);
  }

  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied) {
    wire.toNode(() -> node.submit(new LinkWork.Attach(this, session, fresh, proxied)));
  }

  @Override
  public void commands(long session, long acked, long first, int count, ByteBuf commands) {
    try {
      List<LinkCommand> decoded = GatewayFrameDecoder.commands(commands, count);
      wire.toNode(() -> node.submit(new LinkWork.Commands(this, session, acked, first, decoded)));
    } catch (WireException e) {
      throw new IllegalStateException("a gateway sent what cannot be read", e);
    }
  }

  @Override
  public void present(LinkEntries entries) {
    wire.toNode(() -> node.submit(new LinkWork.Present(this, entries)));
  }

  @Override
  public void pull(long id, boolean more) {
    wire.toNode(() -> node.pull(this, id, more));
  }

  @Override
  public void closeSession(long session) {
    wire.toNode(() -> node.submit(new LinkWork.Close(this, session)));
  }

  @Override
  public void ping(long nonce) {
    wire.toNode(() -> wire.toGateway(() -> listener.pong(nonce)));
  }

  @Override
  public void close() {
    wire.end("the gateway closed it");
  }

  @Override
  public void abort() {
    written.forEach(ByteBuf::release);
    written = new ArrayList<>();
    wire.end("the node has aborted it");
  }

  @Override
  public String gateway() {
    return gateway;
  }

  @Override
  public GatewayKind kind() {
    return kind;
  }

  @Override
  public int version() {
    return LinkFormat.VERSION;
  }

  @Override
  public boolean isOwn() {
    return own;
  }

  @Override
  public ByteBuf newBuffer() {
    return Unpooled.buffer();
  }

  @Override
  public void write(ByteBuf frames) {
    written.add(frames);
  }

  @Override
  public void flush() {
    if (written.isEmpty()) {
      return;
    }
    List<ByteBuf> now = written;
    written = new ArrayList<>();
    wire.toGateway(
        () -> {
          try {
            for (ByteBuf next : now) {
              decoder.decode(next);
            }
          } catch (WireException e) {
            throw new IllegalStateException("a node sent what a gateway cannot read", e);
          }
        });
  }

  @Override
  public void held(int bytes) {}

  @Override
  public boolean takesMore() {
    return true;
  }

  @Override
  public void leadership(Leadership leadership) {
    wire.toGateway(() -> listener.leadership(leadership));
  }

  @Override
  public void disconnect() {
    wire.end("the node closed it");
  }

  @Override
  public String describe() {
    return gateway;
  }
}

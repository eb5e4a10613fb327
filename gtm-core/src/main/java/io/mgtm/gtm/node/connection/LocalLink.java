package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.gateway.Link;
import io.mgtm.gtm.gateway.LinkConnector;
import io.mgtm.gtm.gateway.LinkListener;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.GatewayFrameDecoder;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.NodeFrameDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The link from a node's own gateway to its own engine: frames without a socket. The gateway's
 * event loop is the owner. What the engine says reaches the gateway in tasks of their own, never
 * from within a call to the link.
 */
final class LocalLink implements Link, GatewayPeer {
  private static final int BUFFER_BYTES = 16 * 1024;

  private final String name;
  private final LinkService service;
  private final Executor owner;
  private final LinkListener listener;
  private final NodeFrameDecoder decoder;
  private List<ByteBuf> written = new ArrayList<>();
  private boolean closed;
  private long heldBytes;

  private LocalLink(String name, LinkService service, Executor owner, LinkListener listener) {
    this.name = name;
    this.service = service;
    this.owner = owner;
    this.listener = listener;
    this.decoder = new NodeFrameDecoder(LinkFormat.FRAME_BYTES_MAX, listener);
  }

  /**
   * What opens such links.
   *
   * @param name of the gateway
   * @param address where other gateways reach this node
   */
  static LinkConnector connector(String name, String address, LinkService service, Executor owner) {
    return new LinkConnector() {
      @Override
      public String address() {
        return address;
      }

      @Override
      public boolean home() {
        return true;
      }

      @Override
      public Link connect(LinkListener listener) {
        LocalLink link = new LocalLink(name, service, owner, listener);
        owner.execute(link::open);
        return link;
      }
    };
  }

  private void open() {
    if (!closed) {
      service.peers().add(this);
    }
  }

  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied) {
    submit(new LinkWork.Attach(this, session, fresh, proxied));
  }

  @Override
  public void commands(long session, long acked, long first, int count, ByteBuf commands) {
    try {
      submit(
          new LinkWork.Commands(
              this, session, acked, first, GatewayFrameDecoder.commands(commands, count)));
    } catch (WireException e) {
      throw new IllegalStateException("this node's own gateway sent what it cannot read", e);
    }
  }

  @Override
  public void present(LinkEntries entries) {
    submit(new LinkWork.Present(this, entries));
  }

  @Override
  public void closeSession(long session) {
    submit(new LinkWork.Close(this, session));
  }

  private void submit(LinkWork work) {
    if (!closed) {
      service.engine().submit(work);
    }
  }

  @Override
  public void ping(long nonce) {
    owner.execute(
        () -> {
          if (!closed) {
            listener.pong(nonce);
          }
        });
  }

  @Override
  public void close() {
    end("this node closed it");
  }

  private void end(String why) {
    if (closed) {
      return;
    }
    closed = true;
    if (service.peers().remove(this)) {
      service.engine().submit(new LinkWork.Gone(this));
    }
    owner.execute(() -> listener.closed(why));
  }

  @Override
  public String gateway() {
    return name;
  }

  @Override
  public GatewayKind kind() {
    return GatewayKind.NODE;
  }

  @Override
  public ByteBuf newBuffer() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(BUFFER_BYTES);
  }

  @Override
  public void write(ByteBuf frames) {
    written.add(frames);
  }

  /** Both for what the gateway sent, which is submitted already, and for what the engine wrote. */
  @Override
  public void flush() {
    if (written.isEmpty()) {
      return;
    }
    List<ByteBuf> now = written;
    written = new ArrayList<>();
    owner.execute(() -> deliver(now));
  }

  private void deliver(List<ByteBuf> frames) {
    try {
      for (ByteBuf next : frames) {
        if (!closed) {
          decoder.decode(next);
        }
      }
    } catch (WireException e) {
      throw new IllegalStateException("this node sent its own gateway what that cannot read", e);
    } catch (RuntimeException | Error e) {
      service.fatal().accept(e);
    } finally {
      frames.forEach(ByteBuf::release);
    }
  }

  @Override
  public void held(int bytes) {
    heldBytes += bytes;
  }

  @Override
  public boolean takesMore() {
    return heldBytes <= LinkConnection.HELD_BYTES_MAX;
  }

  @Override
  public void pull(long id, boolean more) {
    if (!closed) {
      service.engine().pull(this, id, more);
    }
  }

  @Override
  public int version() {
    return LinkFormat.VERSION;
  }

  @Override
  public boolean isOwn() {
    return true;
  }

  @Override
  public void leadership(Leadership leadership) {
    if (!closed) {
      listener.leadership(leadership);
    }
  }

  /** It ends with the node, and in mode lazy its replies rest on what another member has too. */
  @Override
  public void abort() {
    flush();
  }

  @Override
  public void disconnect() {
    end("this node refused it");
  }

  @Override
  public String describe() {
    return "this node's gateway";
  }
}

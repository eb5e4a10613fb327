package io.mgtm.block.rdma;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.rdma.RdmaChannel;
import io.mgtm.rdma.RdmaDomain;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.ConnectException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayDeque;

/**
 * A Netty channel of bytes over one RDMA connection, which a {@link RdmaPump} owns. Works on any
 * event loop. What was received is lent until the handlers have read it: with {@code autoRead} off
 * the peer is held back.
 */
public final class RdmaLinkChannel extends AbstractChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false);
  private static final int CONNECT_STEP_MS_MAX = 60_000;

  private record Message(AlignedBuffer buffer, int length) {}

  private final ChannelConfig config = new DefaultChannelConfig(this);
  private final ArrayDeque<Message> received = new ArrayDeque<>();
  private RdmaPump pump;
  private InetSocketAddress local;
  private InetSocketAddress remote;
  private ChannelPromise connecting;
  private boolean open = true;
  private boolean active;
  private boolean readWanted;
  private boolean delivering;

  /** A channel that is to connect. */
  public RdmaLinkChannel() {
    super(null);
  }

  /** A channel over an accepted connection. */
  RdmaLinkChannel(RdmaPump pump, InetSocketAddress local) {
    super(null);
    this.pump = pump;
    this.local = local;
    this.active = true;
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new RdmaUnsafe();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true;
  }

  @Override
  protected SocketAddress localAddress0() {
    return local;
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return remote;
  }

  @Override
  protected void doBind(SocketAddress localAddress) {
    throw new UnsupportedOperationException("RDMA links listen by RdmaAcceptor");
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    open = false;
    active = false;
    if (connecting != null) {
      connecting.tryFailure(new ConnectException("the connection to " + remote + " was given up"));
      connecting = null;
    }
    for (Message message = received.poll(); message != null; message = received.poll()) {
      message.buffer().release();
    }
    if (pump != null) {
      pump.close();
    }
  }

  @Override
  protected void doBeginRead() {
    readWanted = true;
    deliver();
  }

  @Override
  protected Object filterOutboundMessage(Object message) {
    if (message instanceof ByteBuf) {
      return message;
    }
    throw new UnsupportedOperationException("only bytes are sent, not " + message.getClass());
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    boolean room = true;
    while (room && in.current() != null) {
      ByteBuf bytes = ((ByteBuf) in.current()).retainedSlice();
      room = pump.offer(bytes);
      if (room) {
        in.remove();
      } else {
        bytes.release();
      }
    }
    pump.wakeup();
  }

  @Override
  public ChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean isActive() {
    return active;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  /** Passes on what came while it is wanted. */
  private void deliver() {
    if (delivering) {
      return;
    }
    delivering = true;
    while (readWanted && !received.isEmpty()) {
      readWanted = false;
      do {
        Message message = received.poll();
        ByteBuf copy = alloc().directBuffer(message.length(), message.length());
        copy.writeBytes(message.buffer().bytes().limit(message.length()).position(0));
        message.buffer().release();
        var unused = pipeline().fireChannelRead(copy);
      } while (config.isAutoRead() && !received.isEmpty());
      pump.wakeup();
      // Asks for more by beginRead while autoRead is on.
      var unused = pipeline().fireChannelReadComplete();
    }
    delivering = false;
  }

  /** What the pump tells, brought to the event loop. */
  private final class Bridge implements RdmaPump.Events {
    @Override
    public void connected() {
      eventLoop().execute(RdmaLinkChannel.this::connectionMade);
    }

    @Override
    public void received(AlignedBuffer buffer, int length) {
      Message message = new Message(buffer.retain(), length);
      eventLoop().execute(() -> came(message));
    }

    @Override
    public void roomAgain() {
      eventLoop().execute(() -> unsafe().flush());
    }

    @Override
    public void ended(String failure) {
      eventLoop().execute(() -> gone(failure));
    }
  }

  /** The pump's events come here. */
  RdmaPump.Events events() {
    return new Bridge();
  }

  private void connectionMade() {
    if (!open) {
      pump.close();
      return;
    }
    active = true;
    ChannelPromise promise = connecting;
    connecting = null;
    if (promise != null && promise.trySuccess()) {
      var unused = pipeline().fireChannelActive();
    }
  }

  private void came(Message message) {
    if (open) {
      received.add(message);
      deliver();
    } else {
      message.buffer().release();
      pump.wakeup();
    }
  }

  private void gone(String failure) {
    if (connecting != null) {
      connecting.tryFailure(new ConnectException(String.valueOf(failure)));
      connecting = null;
    } else if (open && failure != null) {
      var unused = pipeline().fireExceptionCaught(new IOException(failure));
    }
    if (open) {
      unsafe().close(unsafe().voidPromise());
    }
  }

  private final class RdmaUnsafe extends AbstractUnsafe {
    @Override
    public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
      if (!promise.setUncancellable() || !ensureOpen(promise)) {
        return;
      }
      remote = (InetSocketAddress) to;
      connecting = promise;
      long timeoutMs = Math.min(config.getConnectTimeoutMillis(), CONNECT_STEP_MS_MAX);
      try {
        InetAddress here = localAddressTowards(remote);
        local = new InetSocketAddress(here, 0);
        RdmaDomain domain = RdmaDomain.open(here);
        RdmaMemory memory = RdmaMemory.owning(domain);
        pump =
            new RdmaPump(
                () -> RdmaChannel.connect(domain, remote, memory.setup(), timeoutMs),
                memory,
                new Bridge());
        pump.start("rdma-to-" + remote.getPort());
      } catch (IOException | RuntimeException e) {
        connecting = null;
        promise.tryFailure(e);
        closeIfClosed();
      }
    }
  }

  /** The address that this machine would send from. */
  private static InetAddress localAddressTowards(InetSocketAddress peer) throws SocketException {
    try (DatagramSocket probe = new DatagramSocket()) {
      probe.connect(peer);
      return probe.getLocalAddress();
    }
  }
}

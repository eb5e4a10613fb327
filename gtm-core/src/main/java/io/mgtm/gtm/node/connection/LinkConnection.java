package io.mgtm.gtm.node.connection;

import io.mgtm.common.Newcomers;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.net.InboundWatch;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.net.OutboundWatch;
import io.mgtm.gtm.node.admin.AdminReplies;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.GatewayFrameDecoder;
import io.mgtm.gtm.wire.link.GatewayFrameHandler;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;

/**
 * A gateway's connection to this node. Its handlers run on the channel's event loop, what {@link
 * GatewayPeer} says on the owner's.
 *
 * <p>It is read only while less than {@link #HELD_BYTES_MAX} wait for the log, the owner has taken
 * most of what was read, and the socket takes what it is sent; a gateway that takes nothing for
 * {@code timeouts.outboundMs} is closed, and so is one that does not end a frame in {@code
 * timeouts.frameMs}, or says nothing any more, see {@link SilenceWatch}. Before a gateway has said,
 * and shown where there is a secret, who it is, its frames must be short, see {@link Newcomers}.
 * Where there is none, long ones that it has begun are counted with those of XC clients, see {@link
 * io.mgtm.gtm.net.PartialBudget}.
 *
 * <p>An exception or error here ends the link alone; one of the engine behind it ends the node,
 * whose state may be half changed.
 */
final class LinkConnection extends ChannelInboundHandlerAdapter
    implements GatewayFrameHandler, GatewayPeer {
  private static final int BUFFER_BYTES = 16 * 1024;

  /** Replies that wait for the log before the link is no longer read. */
  static final int HELD_BYTES_MAX = 8 << 20;

  private final LinkService service;
  private final GatewayFrameDecoder decoder =
      new GatewayFrameDecoder(LinkFormat.FIRST_FRAME_BYTES_MAX, this);

  // Event loop.
  private ChannelHandlerContext context;
  private OutboundWatch outbound;
  private InboundWatch inbound;
  private SilenceWatch silence;
  private boolean failed;
  private boolean pinged;

  /** Written by the event loop before the owner sees this peer. */
  private final LinkCaller caller = new LinkCaller();

  private final HandOver handOver;

  // Owner thread.
  private long heldBytes;
  private volatile boolean blocked;

  LinkConnection(LinkService service, EventExecutor owner) {
    this.service = service;
    this.handOver = new HandOver(owner, () -> context.executor().execute(this::updateReading));
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    outbound =
        new OutboundWatch(
            ctx.channel(),
            service.timeouts().outboundMs(),
            () -> closeNow("it takes nothing of what waits for it"));
    silence = new SilenceWatch(ctx.channel(), () -> closeNow("its gateway is silent"));
    boolean asked = service.keys().ask(ctx.channel());
    inbound =
        new InboundWatch(
            ctx.channel(),
            service.timeouts().frameMs(),
            asked ? null : service.begun(),
            why -> fail(RefusalCode.PROTOCOL, why, ""));
    if (asked) {
      ByteBuf out = newBuffer();
      LinkWriter.challenge(out, caller.challenge());
      ctx.writeAndFlush(out, ctx.voidPromise());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    silence.heard();
    try {
      if (!failed) {
        handOver.asOne(in.readableBytes(), () -> read(in));
        updateReading();
      }
    } finally {
      in.release();
    }
  }

  private void read(ByteBuf in) {
    ByteBuf joined = inbound.join(in);
    decode(joined);
    if (failed) {
      inbound.release();
    } else {
      inbound.keepRest(joined, true);
    }
  }

  private void decode(ByteBuf in) {
    pinged = false;
    try {
      decoder.decode(in);
    } catch (WireException e) {
      fail(RefusalCode.PROTOCOL, e.getMessage(), e.hint());
    }
    if (pinged) {
      onOwner(this::flush);
    }
  }

  /** The link is of no use any more: the gateway is told why, and it is closed. */
  private void fail(RefusalCode code, String message, String hint) {
    if (failed) {
      return;
    }
    failed = true;
    service.closing(describe(), message);
    ByteBuf out = newBuffer();
    LinkWriter.refused(out, 0, code, message, hint);
    context.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
    outbound.closing();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Newcomers.TurnAway goes) {
      SslHandler tls = ctx.pipeline().get(SslHandler.class);
      if (tls == null || tls.handshakeFuture().isSuccess()) {
        fail(RefusalCode.PROTOCOL, goes.message(), "");
      } else {
        failed = true;
        ctx.close();
      }
    }
  }

  private void closeNow(String why) {
    failed = true;
    service.closing(describe(), why);
    context.close();
  }

  @Override
  public void version(int of) {
    caller.version(of);
    if (of >= LinkFormat.VERSION_BEATS) {
      silence.begin();
    }
  }

  @Override
  public void hello(String gateway, GatewayKind of) throws WireException {
    caller.hello(gateway, of);
    if (!caller.isChallenged()) {
      accept(service.keys().unasked(context.channel()));
    }
  }

  @Override
  public void auth(byte[] hmac) throws WireException {
    LinkRights shown = caller.shown(hmac, service.keys());
    if (shown != null) {
      accept(shown);
    } else {
      fail(
          RefusalCode.AUTH,
          "the secret that was shown is not that of this group",
          "Every node and proxy, and a command by --secret-file, takes it from a copy of the same file.");
    }
  }

  private void accept(LinkRights given) {
    caller.admit(given);
    Newcomers.admitted(context.pipeline());
    decoder.allowFrames(
        given.sessions() ? LinkFormat.FRAME_BYTES_MAX : LinkFormat.REQUEST_BYTES_MAX);
    onOwner(() -> service.peers().add(this));
  }

  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied)
      throws WireException {
    caller.requireSessions("ATTACH");
    submit(new LinkWork.Attach(this, session, fresh, proxied));
  }

  @Override
  public void commands(long session, long acked, long first, List<LinkCommand> commands)
      throws WireException {
    caller.requireSessions("COMMANDS");
    GatewayCommands.check(session, commands);
    submit(new LinkWork.Commands(this, session, acked, first, commands));
  }

  @Override
  public void present(LinkEntries entries) throws WireException {
    caller.requireSessions("PRESENT");
    GatewayCommands.check(entries);
    submit(new LinkWork.Present(this, entries));
  }

  @Override
  public void close(long session) throws WireException {
    caller.requireSessions("CLOSE");
    submit(new LinkWork.Close(this, session));
  }

  @Override
  public void pull(long id, boolean more) throws WireException {
    caller.requireAdmitted("PULL");
    onOwner(() -> service.engine().pull(this, id, more));
  }

  /**
   * The owner answers, as a sign of its life. All that one read asks for goes out together: small
   * packets to a gateway that does not read can stop both kernels for a quarter of an hour.
   */
  @Override
  public void ping(long number) throws WireException {
    caller.requireAdmitted("PING");
    onOwner(
        () -> {
          ByteBuf out = newBuffer();
          LinkWriter.pong(out, number);
          write(out);
        });
    pinged = true;
  }

  @Override
  public void admin(long id, String verb, String argument) throws WireException {
    caller.requireAdmitted("ADMIN");
    String whyNot = caller.rights().whyNot(verb);
    onOwner(
        () -> {
          if (whyNot == null) {
            service.admin().request(this, id, verb, argument);
          } else {
            AdminReplies.refuse(this, id, verb, whyNot);
          }
        });
  }

  private void submit(LinkWork work) {
    onOwner(() -> service.engine().submit(work));
  }

  private void onOwner(Runnable task) {
    handOver.submit(() -> guarded(task));
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      service.fatal().accept(e);
      throw e; // What the same read brought behind it is not served any more.
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      outbound.start();
    } else {
      onOwner(service.engine()::resume);
    }
    updateReading();
  }

  private void updateReading() {
    inbound.setReading(!blocked && context.channel().isWritable() && !handOver.isFull());
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    inbound.release();
    failed = true;
    service.metrics().disconnected();
    onOwner(
        () -> {
          if (service.peers().remove(this)) {
            service.engine().submit(new LinkWork.Gone(this));
          }
        });
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    service.failed(describe(), cause);
    ctx.close();
  }

  @Override
  public String gateway() {
    return caller.name();
  }

  @Override
  public GatewayKind kind() {
    return caller.kind();
  }

  @Override
  public int version() {
    return caller.version();
  }

  @Override
  public ByteBuf newBuffer() {
    return context.alloc().ioBuffer(BUFFER_BYTES);
  }

  @Override
  public void write(ByteBuf frames) {
    context.write(outbound.fitted(frames), context.voidPromise());
  }

  @Override
  public void flush() {
    context.flush();
  }

  @Override
  public void abort() {
    context.close();
  }

  @Override
  public void held(int bytes) {
    heldBytes += bytes;
    boolean now = blocked ? heldBytes > HELD_BYTES_MAX / 2 : heldBytes > HELD_BYTES_MAX;
    if (now != blocked) {
      blocked = now;
      if (context.executor().inEventLoop()) {
        updateReading();
      } else {
        context.executor().execute(this::updateReading);
      }
    }
  }

  @Override
  public boolean isOpen() {
    return context.channel().isActive();
  }

  @Override
  public boolean takesMore() {
    return heldBytes <= HELD_BYTES_MAX && context.channel().isWritable();
  }

  @Override
  public void leadership(Leadership leadership) {
    ByteBuf out = newBuffer();
    LinkWriter.leadership(out, leadership, version());
    write(out);
    flush();
  }

  @Override
  public void disconnect() {
    context.executor().execute(() -> fail(RefusalCode.PROTOCOL, "the link is closed", ""));
  }

  @Override
  public String describe() {
    Object from =
        LocalSocket.is(context.channel())
            ? "the node's own socket"
            : context.channel().remoteAddress();
    return "gateway \"%s\" from %s".formatted(caller.name(), from);
  }
}

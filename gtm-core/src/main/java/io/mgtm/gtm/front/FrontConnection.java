package io.mgtm.gtm.front;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.net.InboundWatch;
import io.mgtm.gtm.net.OutboundWatch;
import io.mgtm.gtm.net.PartialBuffer;
import io.mgtm.gtm.wire.MessageType;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.mgtm.gtm.wire.xc12.RequestHandler;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An XC client of a front: a node's backend, its postmaster, a tool, or an original proxy, which
 * has a session of its own.
 *
 * <p>It is read only while its session has room, its socket takes what is sent to it, and not too
 * many of its commands wait for replies. So whoever floods is slowed, and what is kept for a client
 * is bounded. Bad input ends this connection alone.
 */
final class FrontConnection extends ChannelInboundHandlerAdapter
    implements RequestHandler, SessionClient {
  private static final Logger log = LoggerFactory.getLogger(FrontConnection.class);

  /** Commands of one client that may wait for replies; a proxy's stand for many clients. */
  private static final int COMMANDS_MAX = 512;

  private static final int PROXY_COMMANDS_MAX = 8_192;

  private final Front front;
  private final FrontSettings settings;
  private final RequestDecoder decoder;
  private final PartialBuffer partial = new PartialBuffer();
  private final Replies replies;
  private final OpenTransactions transactions = new OpenTransactions();
  private final BackupWatch backup = new BackupWatch();
  private ChannelHandlerContext context;
  private OutboundWatch outbound;
  private InboundWatch inbound;
  private Future<?> startupDeadline;
  private boolean failed;
  private boolean gone;
  private boolean awaitsRoom;
  private boolean reading = true;

  private Startup startup;
  private UpstreamSession session;
  private short backend = Command.NO_BACKEND;

  FrontConnection(Front front, FrontSettings settings) {
    this.front = front;
    this.settings = settings;
    this.decoder = new RequestDecoder(settings.frameBytesMax(), this);
    this.replies = new Replies(this::somethingToFlush);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    outbound = new OutboundWatch(ctx.channel(), settings.outboundMs(), this::closeUnread);
    inbound =
        new InboundWatch(
            ctx.channel(),
            partial,
            settings.frameMs(),
            () -> late("the rest of a frame did not come", settings.frameMs()));
    startupDeadline =
        ctx.executor()
            .schedule(
                () -> late("no startup packet came", settings.startupMs()),
                settings.startupMs(),
                TimeUnit.MILLISECONDS);
  }

  private void somethingToFlush() {
    front.dirty(this);
  }

  // ---- reading -----------------------------------------------------------------------------

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!failed) {
        decode(partial.join(in));
      }
    } finally {
      in.release();
    }
  }

  private void decode(ByteBuf in) {
    try {
      boolean more = mayRead();
      while (more) {
        more = decoder.decodeNext(in) && mayRead();
      }
    } catch (WireException e) {
      log.info("Closing {}: {}", describe(), e.getMessage());
      fail(e.getMessage(), e.hint());
    }
    if (failed) {
      in.skipBytes(in.readableBytes());
    }
    if (partial.keepRest(in) && startupDeadline == null) {
      inbound.begins();
    }
    updateReading();
  }

  private boolean mayRead() {
    return !failed
        && context.channel().isWritable()
        && replies.awaited() < (decoder.proxied() ? PROXY_COMMANDS_MAX : COMMANDS_MAX)
        && (session == null || session.hasRoom());
  }

  private void updateReading() {
    boolean read = mayRead();
    if (!read && !failed && session != null && !session.hasRoom() && !awaitsRoom) {
      awaitsRoom = true;
      front.metrics().windowFull();
      session.awaitRoom(this);
    }
    if (reading != read) {
      reading = read;
      inbound.setReading(read);
    }
  }

  @Override
  public void resume() {
    awaitsRoom = false;
    goOn();
  }

  /** What hindered reading may be over. */
  private void goOn() {
    if (failed) {
      return;
    }
    if (partial.kept() != null) {
      decode(partial.kept());
    } else {
      updateReading();
    }
  }

  private void late(String what, int afterMs) {
    if (!failed) {
      log.info("Closing {}: {} within {} ms", describe(), what, afterMs);
      partial.release();
      fail(what + " within " + afterMs + " ms", "");
    }
  }

  /** The connection is of no use any more; the client is told behind its replies, and closed. */
  private void fail(String message, String hint) {
    failed = true;
    front.metrics().protocolError();
    ByteBuf error = replies.newLocal();
    front.encoder().error(error, decoder.proxied(), Command.NO_BACKEND, true, message, hint);
    replies.addLocal(error, true);
  }

  // ---- what the client asks ------------------------------------------------------------------

  @Override
  public void startup(Startup packet) {
    startupDeadline.cancel(false);
    startupDeadline = null;
    startup = packet;
    if (decoder.proxied()) {
      session = front.upstream().open();
    } else {
      backend = front.backends().take();
      if (backend == BackendNumbers.NONE) {
        fail("no backend number is free", "Try again in a moment.");
        return;
      }
      session = front.upstream().shared();
      decoder.backend(backend);
    }
    session.join(this);
    decoder.session(session.id());
    ByteBuf accepted = replies.newLocal();
    front.encoder().startupAccepted(accepted);
    replies.addLocal(accepted, false);
  }

  @Override
  public void command(MessageType type, short of, Command command) {
    boolean begins = command.type() == CommandType.BEGIN_BACKUP;
    boolean ends = command.type() == CommandType.END_BACKUP;
    if ((begins || ends) && (decoder.proxied() || !front.upstream().showsBackups())) {
      refused(type, of, type + " is not passed on", "Connect to a node of the GTM itself for it.");
      return;
    }
    replies.await();
    if (begins) {
      backup.begin();
    } else if (ends) {
      backup.end(replies.awaited());
    }
    front.submitted();
    session.submit(of, command, transactions.targetOf(command, this));
  }

  @Override
  public void refused(MessageType type, short of, String message, String hint) {
    ByteBuf error = replies.newLocal();
    front.encoder().error(error, decoder.proxied(), of, false, message, hint);
    replies.addLocal(error, false);
  }

  @Override
  public void terminate() {
    failed = true;
    closeNow();
  }

  // ---- what comes back -----------------------------------------------------------------------

  /** A reply to the oldest command that waits for one. */
  void reply(boolean close, ByteBuf bytes) {
    front.answered();
    backup.answered();
    replies.add(close, bytes);
    if (!reading && !failed && mayRead()) {
      goOn();
    }
    if (front.draining()) {
      closeIfIdle();
    }
  }

  /** No reply will come to the oldest command that waits for one. */
  void lost(String message, String hint) {
    front.answered();
    failed = true;
    ByteBuf error = replies.newLocal();
    if (!decoder.proxied()) {
      front.encoder().error(error, false, backend, true, message, hint);
    } // Else which of the proxy's clients would it be for? The end of the connection says it.
    replies.add(true, error);
    error.release();
  }

  /** What its lists show from here on would be another moment. */
  @Override
  public void leaderChanged() {
    if (backup.isOpen() && !gone) {
      log.info("Closing {}: the leader that kept the moment of its backup is gone", describe());
      closeNow();
    }
  }

  @Override
  public void sessionLost(String message, String hint) {
    failed = true;
    replies.closeWhenFlushed();
  }

  /** The event loop's turn ends. */
  void flush() {
    boolean close = replies.flush(context);
    if (close) {
      failed = true;
      outbound.closing();
    }
  }

  // ---- the end -------------------------------------------------------------------------------

  /** The front drains: closes the connection unless something of its client is open. */
  void closeIfIdle() {
    if (replies.awaited() == 0 && transactions.count() == 0) {
      failed = true;
      replies.closeWhenFlushed();
    }
  }

  void closeNow() {
    failed = true;
    context.close();
  }

  private void closeUnread() {
    log.info(
        "Closing {}: it has read nothing for {} ms while replies wait for it",
        describe(),
        settings.outboundMs());
    front.metrics().protocolError();
    closeNow();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      outbound.start();
      updateReading();
    } else {
      goOn();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (gone) {
      return;
    }
    gone = true;
    failed = true;
    if (startupDeadline != null) {
      startupDeadline.cancel(false);
    }
    partial.release();
    replies.release();
    if (session != null) {
      session.leave(this);
      if (decoder.proxied()) {
        session.close();
      } else {
        new BackendRelease(session, backend, startup, front.backends()).resume();
      }
    }
    front.gone(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      log.debug("{}: {}", describe(), cause.toString());
      closeNow();
    } else {
      front.fatal(cause);
    }
  }

  private String describe() {
    return "client "
        + (startup == null ? "" : startup.nodeName() + " ")
        + context.channel().remoteAddress();
  }
}

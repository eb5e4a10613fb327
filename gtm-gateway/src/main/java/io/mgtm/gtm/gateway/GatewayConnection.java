package io.mgtm.gtm.gateway;

import io.mgtm.common.Newcomers;
import io.mgtm.common.Rarely;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.net.InboundWatch;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.net.OutboundWatch;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.mgtm.gtm.wire.xc12.RequestHandler;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An XC client of a gateway: a node's backend, its postmaster, a tool, or an original proxy, which
 * has a session of its own.
 *
 * <p>It is read only while its session has room, its socket takes what is sent to it, and not too
 * many of its commands wait for replies. So whoever floods is slowed, and what is kept for a client
 * is bounded. Bad input ends this connection alone, and so does an exception or error here; one of
 * the session, which others share, ends the process.
 */
final class GatewayConnection extends ChannelInboundHandlerAdapter
    implements RequestHandler, SessionClient {
  private static final Logger log = LoggerFactory.getLogger(GatewayConnection.class);
  private static final Rarely STRANGERS = new Rarely();

  /** Commands of one client that may wait for replies; a proxy's stand for many clients. */
  private static final int COMMANDS_MAX = 512;

  private static final int PROXY_COMMANDS_MAX = 8_192;

  private final Gateway gateway;
  private final GatewaySettings settings;
  private final RequestDecoder decoder;
  private final Replies replies;
  private final OpenTransactions transactions = new OpenTransactions();
  private final BackupWatch backup = new BackupWatch();
  private final ClientList list = new ClientList(this);
  private final ClientSession session;
  private ChannelHandlerContext context;
  private OutboundWatch outbound;
  private InboundWatch inbound;
  private boolean failed;
  private boolean gone;
  private boolean reading = true;

  GatewayConnection(Gateway gateway, GatewaySettings settings) {
    this.gateway = gateway;
    this.settings = settings;
    this.decoder = new RequestDecoder(settings.frameBytesMax(), this);
    this.replies = new Replies(() -> gateway.dirty(this));
    this.session = new ClientSession(gateway);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    if (LocalSocket.isThisMachine(ctx.channel())) {
      decoder.allowOperators();
    }
    outbound =
        new OutboundWatch(ctx.channel(), settings.timeouts().outboundMs(), this::closeUnread);
    inbound =
        new InboundWatch(ctx.channel(), settings.timeouts().frameMs(), gateway.begun(), this::late);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof Newcomers.TurnAway goes) {
      late(goes.message());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!failed) {
        decode(inbound.join(in));
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
      fail(e.getMessage(), e.hint());
    }
    if (failed) {
      in.skipBytes(in.readableBytes());
    }
    inbound.keepRest(in, session.isKnown());
    updateReading();
  }

  private boolean mayRead() {
    return !failed
        && context.channel().isWritable()
        && !list.isAwaited()
        && replies.awaited() < (decoder.proxied() ? PROXY_COMMANDS_MAX : COMMANDS_MAX)
        && transactions.takesMore(decoder.proxied())
        && session.hasRoom();
  }

  private void updateReading() {
    boolean read = mayRead();
    if (!read && !failed && !session.hasRoom()) {
      session.awaitRoom(this);
    }
    if (reading != read) {
      reading = read;
      inbound.setReading(read);
    }
  }

  @Override
  public void resume() {
    session.resumed();
    goOn();
  }

  /** What hindered reading may be over. */
  private void goOn() {
    if (failed) {
      return;
    }
    if (inbound.kept() != null) {
      decode(inbound.kept());
    } else {
      updateReading();
    }
  }

  private void late(String what) {
    if (!failed) {
      inbound.release();
      fail(what, "");
    }
  }

  /** The connection is of no use any more; the client is told behind its replies, and closed. */
  private void fail(String message, String hint) {
    failed = true;
    closing(message);
    replies.addLocal(error(Command.NO_BACKEND, true, message, hint), true);
  }

  private void closing(String why) {
    Rarely rarely = session.isKnown() ? STRANGERS : gateway.unknown();
    rarely.run(more -> log.info("Closing {}: {}{}", describe(), why, more));
    gateway.metrics().protocolErrors.increment();
  }

  @Override
  public void startup(Startup packet) {
    Newcomers.admitted(context.pipeline());
    if (!session.open(packet, this, decoder)) {
      fail("no backend number is free", "Try again in a moment.");
      return;
    }
    ByteBuf accepted = replies.newLocal();
    gateway.encoder().startupAccepted(accepted);
    replies.addLocal(accepted, false);
  }

  @Override
  public void command(MessageType type, short of, Command command) {
    boolean begins = command.type() == CommandType.BEGIN_BACKUP;
    boolean ends = command.type() == CommandType.END_BACKUP;
    if ((begins || ends) && (decoder.proxied() || !gateway.upstream().showsBackups())) {
      refused(type, of, type + " is not passed on", "Connect to a node of the GTM itself for it.");
      return;
    }
    replies.await();
    if (begins) {
      backup.begin();
    } else if (ends) {
      backup.end(replies.awaited());
    }
    gateway.submitted();
    if (command.type().lists()) {
      list.asked(of, command);
    }
    submit(of, command);
  }

  private void submit(short of, Command command) {
    session.submit(of, command, transactions.targetOf(command, this));
  }

  /** Asks for a list again; false when that cannot be now. */
  boolean submitAgain(short of, Command command) {
    boolean can = !failed && session.hasRoom();
    if (can) {
      submit(of, command);
    }
    return can;
  }

  @Override
  public void refused(MessageType type, short of, String message, String hint) {
    replies.addLocal(error(of, false, message, hint), false);
  }

  private ByteBuf error(short of, boolean last, String message, String hint) {
    ByteBuf error = replies.newLocal();
    gateway.encoder().error(error, decoder.proxied(), of, last, message, hint);
    return error;
  }

  @Override
  public void terminate() {
    failed = true;
    closeNow();
  }

  /** A reply, or its last piece, to the oldest command that waits for one. */
  void reply(boolean close, ByteBuf bytes) {
    gateway.answered();
    try {
      backup.answered();
      replies.add(close, bytes);
      if (list.isAwaited() && replies.awaited() == 0) {
        list.answered();
      }
      if (!reading && !failed && mayRead()) {
        goOn();
      }
      if (gateway.draining()) {
        closeIfIdle();
      }
    } catch (RuntimeException | Error e) {
      broken(e);
    }
  }

  /** The list that was asked for last comes in pieces. */
  void pieces(PulledReply reply) {
    if (gone) {
      gateway.answered();
      reply.drop();
    } else {
      list.comes(reply);
    }
  }

  /** A piece of the list, and not the last. */
  void piece(ByteBuf bytes) {
    replies.addPiece(bytes);
  }

  /** The list was lost, and no part of it is sent. */
  void listFailed(short of) {
    ByteBuf error = error(of, false, "the node of the GTM that sent a list was lost", "Ask again.");
    reply(false, error);
    error.release();
  }

  /** The list was lost, and a part of it is sent. */
  void listBroken() {
    log.info("Closing {}: the node that sent it a list was lost", describe());
    gateway.answered();
    closeNow();
  }

  /** No reply will come to the oldest command that waits for one. */
  void lost(String message, String hint) {
    gateway.answered();
    failed = true;
    ByteBuf error = replies.newLocal();
    if (!decoder.proxied()) {
      gateway.encoder().error(error, false, session.backend(), true, message, hint);
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

  /** The event loop's batch ends. */
  void flush() {
    try {
      boolean close = replies.flush(context);
      if (context.channel().isWritable()) {
        list.goOn();
      }
      if (close) {
        failed = true;
        outbound.closing();
      }
    } catch (RuntimeException | Error e) {
      broken(e);
    }
  }

  /** The gateway drains: closes the connection unless something of its client is open. */
  void closeIfIdle() {
    if (replies.awaited() == 0 && transactions.count() == 0) {
      failed = true;
      replies.closeWhenFlushed();
    }
  }

  /** Replies that its client has not taken. */
  long unsentBytes() {
    return replies.bytes() + outbound.unsentBytes();
  }

  void closeNow() {
    failed = true;
    context.close();
  }

  private void closeUnread() {
    int ms = settings.timeouts().outboundMs();
    closing("it has read nothing for %d ms while replies wait for it".formatted(ms));
    closeNow();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      outbound.start();
      updateReading();
    } else {
      list.goOn();
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
    inbound.release();
    replies.release();
    try {
      if (list.isPulled()) {
        list.drop();
        gateway.answered();
      }
      session.leave(this);
    } catch (RuntimeException | Error e) {
      gateway.fatal(e);
    }
    gateway.gone(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      log.debug("{}: {}", describe(), cause.toString());
      closeNow();
    } else {
      broken(cause);
    }
  }

  /** What it was to be told may be cut short: it is told nothing more. */
  private void broken(Throwable cause) {
    log.error("Closing {} for an error in its handler", describe(), cause);
    closeNow();
  }

  private String describe() {
    return "client " + session.name() + context.channel().remoteAddress();
  }
}

package io.mgtm.query.member;

import io.mgtm.query.fleet.Leadership;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A connection that has come to a member of a group which does not serve. It is held until somebody
 * serves, and forwarded there, or served here. Belongs to the connection's loop.
 *
 * <ul>
 *   <li>Of what the client sends only the code of its first packet is looked at, so that encryption
 *       and proofs are between it and the one that serves.
 *   <li>None of it is sent on before the one that serves has taken the connection. Until then
 *       nothing has happened anywhere, and another may be asked.
 *   <li>One that another member forwards is not forwarded a second time; it closes, and is held
 *       where it came from.
 * </ul>
 */
final class Arrival extends ChannelInboundHandlerAdapter {
  /** As an event, has it look at once who serves. */
  static final Object LOOK = new Object();

  /** It looks as often by itself, and for how long it has waited. */
  private static final int LOOK_MS = 100;

  /** Before the same one is asked again that did not take the connection. */
  private static final int ASK_AGAIN_MS = 500;

  private static final int CODE_AT = Integer.BYTES;
  private static final int CODE_END = 2 * Integer.BYTES;

  private final Entrance entrance;
  private final Forwards forwards;
  private final boolean tooMany;
  private Ticker clock;
  private long cameNanos;

  /** When it was known last that somebody is about to serve. */
  private long hopefulNanos;

  /** What the client has sent. */
  private ByteBuf first;

  private Leadership asked = Leadership.NOBODY;
  private long askedNanos;
  private Future<Channel> answer;
  private String trouble = "";
  private boolean over;

  Arrival(Entrance entrance, Forwards forwards, boolean tooMany) {
    this.entrance = entrance;
    this.forwards = forwards;
    this.tooMany = tooMany;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    clock = context.executor().ticker();
    cameNanos = clock.nanoTime();
    hopefulNanos = cameNanos;
    first = context.alloc().buffer(CODE_END, Integer.MAX_VALUE);
    forwards.hold(context.channel());
    again(context);
  }

  private void again(ChannelHandlerContext context) {
    context
        .executor()
        .schedule(
            () -> {
              look(context);
              if (!over) {
                again(context);
              }
            },
            LOOK_MS,
            TimeUnit.MILLISECONDS);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      first.writeBytes((ByteBuf) message);
    } finally {
      ReferenceCountUtil.release(message);
    }
    // Nobody sends more before there is an answer.
    context.channel().config().setAutoRead(first.readableBytes() < StartupPacket.BYTES_MAX);
    look(context);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event.equals(LOOK)) {
      look(context);
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  private void look(ChannelHandlerContext context) {
    if (over) {
      return;
    }
    Leadership where = forwards.where();
    boolean spoke = first.readableBytes() >= CODE_END;
    int code = spoke ? first.getInt(CODE_AT) : 0;
    if (!spoke || where.isChanging()) {
      hopefulNanos = clock.nanoTime();
    }
    if (entrance.tenure() != null) {
      serve(context, null);
    } else if (code == StartupPacket.FORWARD_CODE) {
      context.close();
    } else if (forwards.isStopping()) {
      serve(context, forwards.refusal());
    } else if (where.isServed() && !forwards.isHere(where)) {
      if (spoke) {
        ask(context, where);
      }
      giveUp(context, cannot(where));
    } else if (code == StartupPacket.CANCEL_CODE) {
      // What there would be to cancel has ended.
      context.close();
    } else if (tooMany) {
      serve(context, Entrance.TOO_MANY);
    } else {
      forget();
      giveUp(context, forwards.refusal());
    }
  }

  private ErrorFields cannot(Leadership where) {
    return ErrorFields.fatal(
            "57P03",
            "this replicator cannot forward to %s at %s, which serves: %s"
                .formatted(
                    where.leader(),
                    where.address(),
                    trouble.isEmpty() ? "it does not answer" : trouble))
        .withHint("Connect to " + where.address() + ", or to another replicator.");
  }

  /** Where it has lasted too long. */
  private void giveUp(ChannelHandlerContext context, ErrorFields why) {
    if (!over
        && (hasPassed(cameNanos, entrance.config().timeouts().startupMs())
            || hasPassed(hopefulNanos, entrance.config().timeouts().connectMs()))) {
      serve(context, why);
    }
  }

  private boolean hasPassed(long sinceNanos, int ms) {
    return clock.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private void ask(ChannelHandlerContext context, Leadership where) {
    boolean underWay = answer != null && !answer.isDone();
    if (where.equals(asked) && (underWay || !hasPassed(askedNanos, ASK_AGAIN_MS))) {
      return;
    }
    InetSocketAddress from = (InetSocketAddress) context.channel().remoteAddress();
    if (from == null) {
      return;
    }
    forget();
    trouble = where.equals(asked) ? trouble : "";
    asked = where;
    askedNanos = clock.nanoTime();
    Future<Channel> to = forwards.open(context.channel().eventLoop(), where, from.getAddress());
    answer = to;
    to.addListener(done -> answered(context, to));
  }

  private void answered(ChannelHandlerContext context, Future<Channel> to) {
    if (to.isSuccess() && to == answer && !over) {
      forward(context.channel(), to.getNow());
    } else if (to.isSuccess()) {
      to.getNow().close();
    } else if (to == answer) {
      trouble = String.valueOf(to.cause().getMessage());
    }
  }

  private void forward(Channel client, Channel server) {
    end(client);
    client.pipeline().remove(this);
    forwards.join(client, server, asked);
    server.writeAndFlush(first);
    client.config().setAutoRead(server.isWritable());
  }

  /**
   * Goes on as a login here.
   *
   * @param refusal what it comes to, or null
   */
  private void serve(ChannelHandlerContext context, ErrorFields refusal) {
    Channel client = context.channel();
    end(client);
    forget();
    entrance.admit(client, refusal == null && tooMany ? Entrance.TOO_MANY : refusal);
    client.pipeline().remove(this);
    if (first.isReadable()) {
      // All at once: the decoder sees whether anything follows a request for encryption.
      client.pipeline().fireChannelRead(first).fireChannelReadComplete();
    } else {
      first.release();
    }
    client.config().setAutoRead(true);
  }

  private void end(Channel client) {
    over = true;
    forwards.release(client);
  }

  private void forget() {
    Future<Channel> former = answer;
    answer = null;
    if (former != null) {
      former.cancel(false);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (!over) {
      end(context.channel());
      forget();
      first.release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}

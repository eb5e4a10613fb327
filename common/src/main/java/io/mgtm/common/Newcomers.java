package io.mgtm.common;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The connections of a listener that have not said who they are. Each has so much time for it, and
 * they are so many at most: when one more comes, the one that was silent longest goes. So whoever
 * connects and says nothing costs little, and keeps nobody out who does.
 *
 * <p>One that goes is told by a {@link TurnAway} through its pipeline, whose handlers close it. A
 * connection that is not read is given time anew: it is not its fault.
 *
 * <p>{@link #watch} and {@link #admitted} on the connection's event loop; connections may have
 * different ones.
 */
public final class Newcomers {
  /** At a listener. */
  public static final int MAX = 1_024;

  private final int max;
  private final int withinMs;
  private final Set<Newcomer> silent = new LinkedHashSet<>();

  /**
   * Sent through the pipeline of a connection that has to go.
   *
   * @param message why
   */
  public record TurnAway(String message) {}

  /**
   * Nobody yet.
   *
   * @param max how many there may be
   * @param withinMs how long each may take
   */
  public Newcomers(int max, int withinMs) {
    this.max = max;
    this.withinMs = withinMs;
  }

  /** Watches a connection that was accepted, unless it is watched already. */
  public void watch(Channel channel) {
    if (channel.pipeline().get(Newcomer.class) == null) {
      channel.pipeline().addFirst(new Newcomer());
    }
  }

  /** A connection has said who it is. */
  public static void admitted(ChannelPipeline pipeline) {
    if (pipeline.get(Newcomer.class) != null) {
      pipeline.remove(Newcomer.class);
    }
  }

  private synchronized Newcomer enter(Newcomer newcomer) {
    Newcomer goes = null;
    if (silent.size() >= max) {
      Iterator<Newcomer> oldest = silent.iterator();
      goes = oldest.next();
      oldest.remove();
    }
    silent.add(newcomer);
    return goes;
  }

  private synchronized void leave(Newcomer newcomer) {
    silent.remove(newcomer);
  }

  private final class Newcomer extends ChannelInboundHandlerAdapter {
    private ChannelHandlerContext context;
    private Future<?> deadline;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      context = ctx;
      allowTime();
      Newcomer goes = enter(this);
      if (goes != null) {
        goes.context
            .executor()
            .execute(() -> goes.turnAway("too many connections have not said who they are"));
      }
    }

    private void allowTime() {
      deadline = context.executor().schedule(this::late, withinMs, TimeUnit.MILLISECONDS);
    }

    private void late() {
      if (context.channel().config().isAutoRead()) {
        turnAway("no startup packet came within " + withinMs + " ms");
      } else {
        allowTime();
      }
    }

    private void turnAway(String why) {
      if (!context.isRemoved()) {
        context.fireUserEventTriggered(new TurnAway(why));
      }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      deadline.cancel(false);
      leave(this);
    }
  }
}

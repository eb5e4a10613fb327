package io.mgtm.common;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection, which brings one request. Event loop; pages are worked on by other threads, so that
 * one which takes long holds up nobody.
 */
final class HttpConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final int ASKING_MAX = 64;

  private final HttpRoutes routes;
  private final Executor threads;

  /** How many requests of the endpoint are not answered yet. */
  private final AtomicInteger asking;

  private boolean asked;

  HttpConnection(HttpRoutes routes, Executor threads, AtomicInteger asking) {
    this.routes = routes;
    this.threads = threads;
    this.asking = asking;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (asked) {
      return; // The connection is closed after the first one's answer.
    }
    asked = true;
    Newcomers.admitted(ctx.pipeline());
    boolean tooMany = asking.incrementAndGet() > ASKING_MAX;
    if (request.decoderResult().isFailure()) {
      String why = "this is no request: " + request.decoderResult().cause().getMessage();
      answer(ctx, HttpAnswer.error(400, why));
    } else if (tooMany) {
      answer(ctx, HttpAnswer.error(503, ASKING_MAX + " requests are being answered already"));
    } else {
      HttpMethod method = request.method();
      String uri = request.uri();
      threads.execute(() -> work(ctx, method, uri));
    }
  }

  private void work(ChannelHandlerContext ctx, HttpMethod method, String uri) {
    HttpAnswer answer = null;
    try {
      answer = routes.answer(method, uri);
    } finally {
      if (answer == null) {
        asking.decrementAndGet();
        ctx.close(); // An Error goes on to the thread.
      }
    }
    answer(ctx, answer);
  }

  private void answer(ChannelHandlerContext ctx, HttpAnswer answer) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.valueOf(answer.status()),
            Unpooled.wrappedBuffer(answer.body().getBytes(UTF_8)));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, answer.type())
        .set(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    answer.headers().forEach(response.headers()::set);
    ctx.writeAndFlush(response)
        .addListener(
            written -> {
              asking.decrementAndGet();
              ctx.close();
            });
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    boolean nothingComes = !asked && event instanceof ChannelInputShutdownEvent;
    if (nothingComes || event instanceof Newcomers.TurnAway) {
      ctx.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // It was closed by the other end, or does not read.
  }
}

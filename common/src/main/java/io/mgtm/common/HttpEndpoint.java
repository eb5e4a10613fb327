package io.mgtm.common;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Serves requests on threads of its own: {@code /metrics} in Prometheus' text format, {@code
 * /health} with 200 and {@code {"status":"up"}} or 503 and the reason, and pages in JSON, all by
 * {@code GET}; pages that change something by {@code POST}. Nothing is done for another method.
 *
 * <p>A connection brings one request. One that does not send it within some seconds is closed, and
 * before that when so many more come ({@link Newcomers}): so those who stay silent keep nobody out.
 * One that does not read its answer is closed too.
 */
public final class HttpEndpoint implements AutoCloseable {
  private static final int SILENT_MAX = 64;
  private static final int REQUEST_MS = 5_000;
  private static final int ANSWER_SECONDS = 30;

  /** Shorter than a connection is kept without an answer. */
  private static final int SLOW_MS = 20_000;

  /** A statement is part of it where one is explained. */
  private static final int LINE_BYTES_MAX = 256 * 1024;

  /** Of what a request brings beside its parameters, which nobody asks for. */
  private static final int BODY_BYTES_MAX = 65_536;

  private static final String NAME = "mgtm-http";

  /** Answers a request whose parameters are given with what Jackson writes. */
  public interface Page {
    Object of(Map<String, String> parameters) throws IOException;
  }

  private final MultiThreadIoEventLoopGroup loop = Sockets.loops(1, NAME);
  private final ExecutorService threads =
      Executors.newCachedThreadPool(new DefaultThreadFactory(NAME, true));
  private final Newcomers newcomers = new Newcomers(SILENT_MAX, REQUEST_MS);
  private final AtomicInteger asking = new AtomicInteger();
  private final HttpRoutes routes = new HttpRoutes();
  private Channel listener;

  private HttpEndpoint() {}

  /**
   * Takes the address; requests are answered from {@link #start} on.
   *
   * @param option the option that sets the address
   * @throws IOException when it cannot be listened on
   */
  public static HttpEndpoint listen(String option, HostPort address) throws IOException {
    InetSocketAddress resolved = ListenErrors.resolve(option, address);
    HttpEndpoint endpoint = new HttpEndpoint();
    ChannelFuture bound = endpoint.bind(resolved).awaitUninterruptibly();
    endpoint.listener = bound.channel();
    if (!bound.isSuccess()) {
      endpoint.close();
      throw ListenErrors.of(option, address, bound.cause());
    }
    return endpoint;
  }

  private ChannelFuture bind(InetSocketAddress address) {
    return new ServerBootstrap()
        .group(loop)
        .channel(Sockets.server())
        .option(ChannelOption.AUTO_READ, false)
        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                newcomers.watch(channel);
                channel
                    .pipeline()
                    .addLast(
                        new WriteTimeoutHandler(ANSWER_SECONDS),
                        new HttpServerCodec(
                            new HttpDecoderConfig().setMaxInitialLineLength(LINE_BYTES_MAX)),
                        new HttpObjectAggregator(BODY_BYTES_MAX, true),
                        new HttpConnection(routes, threads, asking));
              }
            })
        .bind(address);
  }

  /** Serves {@code /metrics}. */
  public HttpEndpoint metrics(Supplier<String> text) {
    routes.add(
        HttpMethod.GET,
        "/metrics",
        parameters ->
            new HttpAnswer(200, "text/plain; version=0.0.4; charset=utf-8", text.get(), Map.of()));
    return this;
  }

  /**
   * Serves {@code /health}.
   *
   * @param trouble what is wrong now, or empty
   * @param detail what there is to tell while nothing is wrong, or empty
   */
  public HttpEndpoint health(Supplier<String> trouble, Supplier<String> detail) {
    routes.add(
        HttpMethod.GET,
        "/health",
        parameters -> {
          String what = trouble.get();
          boolean up = what.isEmpty();
          Map<String, String> health = new LinkedHashMap<>();
          health.put("status", up ? "up" : "down");
          health.put(up ? "detail" : "reason", up ? detail.get() : what);
          health.values().removeIf(String::isEmpty);
          return HttpAnswer.json(up ? 200 : 503, health);
        });
    return this;
  }

  /** Serves a page of JSON; what it throws is told with 503. */
  public HttpEndpoint page(String path, Page page) {
    return page(HttpMethod.GET, path, page);
  }

  /** The same of a page that changes something, which is only asked for by {@code POST}. */
  public HttpEndpoint change(String path, Page page) {
    return page(HttpMethod.POST, path, page);
  }

  private HttpEndpoint page(HttpMethod method, String path, Page page) {
    routes.add(method, path, parameters -> HttpAnswer.json(200, page.of(parameters)));
    return this;
  }

  /**
   * The same of a page that may take long: with 202 it is said where to ask again. {@link Ask} does
   * so until it is done.
   */
  public HttpEndpoint slowPage(String path, Page page) {
    return slowPage(HttpMethod.GET, path, new SlowPage(page, SLOW_MS));
  }

  /** The same of a page that changes something. */
  public HttpEndpoint slowChange(String path, Page page) {
    return slowPage(HttpMethod.POST, path, new SlowPage(page, SLOW_MS));
  }

  HttpEndpoint slowPage(HttpMethod method, String path, SlowPage page) {
    routes.add(
        method,
        path,
        parameters -> {
          String ticket = page.ticket(parameters);
          Object found = page.answer(ticket);
          if (found != null) {
            return HttpAnswer.json(200, found);
          }
          String again = "%s?%s=%s".formatted(path, SlowPage.TICKET, ticket);
          return HttpAnswer.json(202, null).with("Location", again);
        });
    return this;
  }

  /** Begins to answer. */
  public HttpEndpoint start() {
    listener.config().setAutoRead(true);
    return this;
  }

  /** The address with its port, also when the system has chosen it. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    loop.shutdownGracefully(0, ANSWER_SECONDS, TimeUnit.SECONDS);
    threads.shutdownNow();
  }
}

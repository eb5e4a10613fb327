package io.mgtm.gtm.net;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.mgtm.gtm.config.HostPort;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Serves {@code GET /metrics} (Prometheus text) and {@code GET /health} (200 with {@code
 * {"status":"up"}}, or 503 with the reason) on threads of its own. A client that does not send its
 * request, or does not read the answer, is cut off after some seconds; so many connect at a time.
 */
public final class MetricsServer implements AutoCloseable {
  private static final int BACKLOG = 16;
  private static final int THREADS = 2;
  private static final int CONNECTIONS_MAX = 64;

  static {
    // The JDK's server waits for ever unless told so before it is first used.
    limit("sun.net.httpserver.maxReqTime", 5);
    limit("sun.net.httpserver.maxRspTime", 30);
    limit("jdk.httpserver.maxConnections", CONNECTIONS_MAX);
    limit("sun.net.httpserver.maxIdleConnections", CONNECTIONS_MAX / 2);
  }

  private final HttpServer server;
  private final ExecutorService threads;

  /** As the other, with nothing to tell while nothing is wrong. */
  public MetricsServer(HostPort address, PrometheusMeterRegistry registry, Supplier<String> trouble)
      throws IOException {
    this(address, registry, trouble, () -> "");
  }

  /**
   * Begins to serve.
   *
   * @param trouble what is wrong now, or empty
   * @param detail what there is to tell while nothing is wrong, or empty
   * @throws IOException when the address cannot be listened on
   */
  public MetricsServer(
      HostPort address,
      PrometheusMeterRegistry registry,
      Supplier<String> trouble,
      Supplier<String> detail)
      throws IOException {
    InetSocketAddress resolved = ListenErrors.resolve("--metrics", address);
    try {
      server = HttpServer.create(resolved, BACKLOG);
    } catch (IOException e) {
      throw ListenErrors.of("--metrics", address, e);
    }
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread t = new Thread(task, "mgtm-metrics");
              t.setDaemon(true);
              return t;
            });
    server.setExecutor(threads);
    server.createContext(
        "/metrics",
        exchange ->
            answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape()));
    server.createContext(
        "/health",
        exchange -> {
          String what = trouble.get();
          boolean up = what.isEmpty();
          String status =
              up
                  ? "{\"status\":\"up\"" + field("detail", detail.get())
                  : "{\"status\":\"down\"" + field("reason", what);
          answer(exchange, up ? 200 : 503, "application/json", status + "}\n");
        });
    server.start();
  }

  private static void limit(String property, int to) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(to));
    }
  }

  private static String field(String name, String text) {
    return text.isEmpty() ? "" : ",\"" + name + "\":\"" + escape(text) + "\"";
  }

  private static String escape(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\');
      }
      out.append(c < ' ' ? ' ' : c);
    }
    return out.toString();
  }

  private static void answer(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    // A body is not read: no answer depends on it, and it might never end.
    try (exchange) {
      if (!exchange.getRequestMethod().equals("GET")) {
        exchange.sendResponseHeaders(405, -1);
        return;
      }
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

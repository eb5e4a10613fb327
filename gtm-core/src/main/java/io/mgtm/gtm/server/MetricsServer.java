package io.mgtm.gtm.server;

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
 * {"status":"up"}}, or 503 with the reason) on a thread of its own.
 */
final class MetricsServer implements AutoCloseable {
  private static final int BACKLOG = 16;

  private final HttpServer server;
  private final ExecutorService thread;

  /**
   * Begins to serve.
   *
   * @param trouble what is wrong now, or empty
   * @throws IOException when the address cannot be listened on
   */
  MetricsServer(HostPort address, PrometheusMeterRegistry registry, Supplier<String> trouble)
      throws IOException {
    InetSocketAddress resolved = ListenErrors.resolve("--metrics", address);
    try {
      server = HttpServer.create(resolved, BACKLOG);
    } catch (IOException e) {
      throw ListenErrors.of("--metrics", address, e);
    }
    thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread t = new Thread(task, "mgtm-metrics");
              t.setDaemon(true);
              return t;
            });
    server.setExecutor(thread);
    server.createContext(
        "/metrics",
        exchange ->
            answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape()));
    server.createContext(
        "/health",
        exchange -> {
          String what = trouble.get();
          boolean up = what.isEmpty();
          answer(
              exchange,
              up ? 200 : 503,
              "application/json",
              up
                  ? "{\"status\":\"up\"}\n"
                  : "{\"status\":\"down\",\"reason\":\"" + escape(what) + "\"}\n");
        });
    server.start();
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
  }

  private static void answer(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
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

  InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
  }
}

package io.mgtm.block.agent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.mgtm.block.wire.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * {@code /metrics} in Prometheus' text format and {@code /health}: 200 when the volume is well,
 * else 503 and why not.
 */
final class HttpEndpoint implements AutoCloseable {
  private final HttpServer server;

  private HttpEndpoint(HttpServer server) {
    this.server = server;
  }

  /**
   * Listens; {@code problem} answers null, or what is wrong. Both are called on the server's
   * thread.
   */
  static HttpEndpoint listen(Endpoint endpoint, Supplier<String> metrics, Supplier<String> problem)
      throws IOException {
    HttpServer server = HttpServer.create((InetSocketAddress) endpoint.socketAddress(), 16);
    server.createContext("/metrics", exchange -> answer(exchange, 200, metrics.get()));
    server.createContext(
        "/health",
        exchange -> {
          String wrong = problem.get();
          answer(exchange, wrong == null ? 200 : 503, (wrong == null ? "ok" : wrong) + "\n");
        });
    server.start();
    return new HttpEndpoint(server);
  }

  private static void answer(HttpExchange exchange, int code, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
    exchange.sendResponseHeaders(code, bytes.length);
    try (var body = exchange.getResponseBody()) {
      body.write(bytes);
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

package io.mgtm.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Serves requests on threads of its own: {@code /metrics} in Prometheus' text format, {@code
 * /health} with 200 and {@code {"status":"up"}} or 503 and the reason, and pages in JSON, all by
 * {@code GET}; pages that change something by {@code POST}. Nothing is done for another method. A
 * client that does not send its request, or does not read the answer, is cut off after some
 * seconds; so many connect at a time. Until then it holds a thread, so that there is one for each.
 */
public final class HttpEndpoint implements AutoCloseable {
  private static final int BACKLOG = 16;
  private static final int CONNECTIONS_MAX = 64;

  /** Shorter than a connection is kept without an answer. */
  private static final int SLOW_MS = 20_000;

  /** Of what a request brings beside its parameters, which nobody asks for. */
  private static final int BODY_BYTES_MAX = 65_536;

  private static final String GET = "GET";
  private static final String POST = "POST";
  private static final String JSON_TYPE = "application/json";
  private static final ObjectMapper JSON = new ObjectMapper();

  static {
    // The JDK's server waits for ever unless told so before it is first used.
    limit("sun.net.httpserver.maxReqTime", 5);
    limit("sun.net.httpserver.maxRspTime", 30);
    limit("jdk.httpserver.maxConnections", CONNECTIONS_MAX);
    limit("sun.net.httpserver.maxIdleConnections", CONNECTIONS_MAX / 2);
  }

  /** Answers a request whose parameters are given with what Jackson writes. */
  public interface Page {
    Object of(Map<String, String> parameters) throws IOException;
  }

  private final HttpServer server;
  private final ExecutorService threads;

  private HttpEndpoint(HttpServer server) {
    this.server = server;
    threads =
        new ThreadPoolExecutor(
            0,
            CONNECTIONS_MAX,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread t = new Thread(task, "mgtm-http");
              t.setDaemon(true);
              return t;
            });
    server.setExecutor(threads);
  }

  /**
   * Takes the address; requests are answered from {@link #start} on.
   *
   * @param option the option that sets the address
   * @throws IOException when it cannot be listened on
   */
  public static HttpEndpoint listen(String option, HostPort address) throws IOException {
    InetSocketAddress resolved = ListenErrors.resolve(option, address);
    try {
      return new HttpEndpoint(HttpServer.create(resolved, BACKLOG));
    } catch (IOException e) {
      throw ListenErrors.of(option, address, e);
    }
  }

  private static void limit(String property, int to) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(to));
    }
  }

  /** Serves {@code /metrics}. */
  public HttpEndpoint metrics(Supplier<String> text) {
    serve(
        GET,
        "/metrics",
        exchange -> answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", text.get()));
    return this;
  }

  /**
   * Serves {@code /health}.
   *
   * @param trouble what is wrong now, or empty
   * @param detail what there is to tell while nothing is wrong, or empty
   */
  public HttpEndpoint health(Supplier<String> trouble, Supplier<String> detail) {
    serve(
        GET,
        "/health",
        exchange -> {
          String what = trouble.get();
          boolean up = what.isEmpty();
          Map<String, String> health = new LinkedHashMap<>();
          health.put("status", up ? "up" : "down");
          health.put(up ? "detail" : "reason", up ? detail.get() : what);
          health.values().removeIf(String::isEmpty);
          answer(exchange, up ? 200 : 503, JSON_TYPE, json(health) + "\n");
        });
    return this;
  }

  /** Serves a page of JSON; what it throws is told with 503. */
  public HttpEndpoint page(String path, Page page) {
    return page(GET, path, page);
  }

  /** The same of a page that changes something, which is only asked for by {@code POST}. */
  public HttpEndpoint change(String path, Page page) {
    return page(POST, path, page);
  }

  private HttpEndpoint page(String method, String path, Page page) {
    return answered(
        method,
        path,
        (exchange, parameters) -> answer(exchange, 200, JSON_TYPE, json(page.of(parameters))));
  }

  /**
   * The same of a page that may take long: with 202 it is said where to ask again. {@link Ask} does
   * so until it is done.
   */
  public HttpEndpoint slowPage(String path, Page page) {
    return slowPage(GET, path, new SlowPage(page, SLOW_MS));
  }

  /** The same of a page that changes something. */
  public HttpEndpoint slowChange(String path, Page page) {
    return slowPage(POST, path, new SlowPage(page, SLOW_MS));
  }

  HttpEndpoint slowPage(String method, String path, SlowPage page) {
    return answered(
        method,
        path,
        (exchange, parameters) -> {
          String ticket = page.ticket(parameters);
          Object found = page.answer(ticket);
          if (found == null) {
            String again = "%s?%s=%s".formatted(path, SlowPage.TICKET, ticket);
            exchange.getResponseHeaders().set("Location", again);
          }
          answer(exchange, found == null ? 202 : 200, JSON_TYPE, json(found));
        });
  }

  /** How a page is answered. */
  private interface Answer {
    void to(HttpExchange exchange, Map<String, String> parameters) throws IOException;
  }

  private HttpEndpoint answered(String method, String path, Answer answer) {
    serve(
        method,
        path,
        exchange -> {
          try {
            answer.to(exchange, parameters(exchange.getRequestURI().getRawQuery()));
          } catch (IOException e) {
            String error = json(Map.of("error", String.valueOf(e.getMessage())));
            answer(exchange, 503, JSON_TYPE, error);
          }
        });
    return this;
  }

  private void serve(String method, String path, HttpHandler handler) {
    server.createContext(
        path,
        exchange -> {
          if (exchange.getRequestMethod().equals(method)) {
            // Else the JDK's server takes the request for one that is late, and closes it.
            exchange.getRequestBody().readNBytes(BODY_BYTES_MAX);
            handler.handle(exchange);
          } else {
            refuse(exchange, method, path);
          }
        });
  }

  private static void refuse(HttpExchange exchange, String method, String path) throws IOException {
    exchange.getResponseHeaders().set("Allow", method);
    if (exchange.getRequestMethod().equals("HEAD")) {
      try (exchange) {
        exchange.sendResponseHeaders(405, -1);
      }
      return;
    }
    String error = "%s is asked for by %s".formatted(path, method);
    answer(exchange, 405, JSON_TYPE, json(Map.of("error", error)));
  }

  /** Begins to answer. */
  public HttpEndpoint start() {
    server.start();
    return this;
  }

  private static String json(Object value) throws JsonProcessingException {
    return JSON.writeValueAsString(value);
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String pair : query == null ? new String[0] : query.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        parameters.put(
            pair.substring(0, equals),
            URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return parameters;
  }

  private static void answer(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    // A body is not read: no answer depends on it, and it might never end.
    try (exchange) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** The address with its port, also when the system has chosen it. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

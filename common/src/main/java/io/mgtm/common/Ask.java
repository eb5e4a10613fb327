package io.mgtm.common;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Option;

/**
 * How a command asks a server that runs, over HTTP; a mixin of the commands that do. A server that
 * names another in its place, by status 307, has that one asked; one that is not done, by status
 * 202, is asked again.
 */
public class Ask {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Set<Integer> REDIRECTS = Set.of(307, 308);
  private static final int REDIRECTS_MAX = 3;
  private static final int ANSWER_BYTES_MAX = 32 << 20;

  private final String server;
  private final Duration patience;

  @Option(
      names = "--at",
      paramLabel = "HOST:PORT",
      description = "The server that is asked. Default: ${DEFAULT-VALUE}.")
  private HostPort at;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /**
   * Asks a kind of server.
   *
   * @param server how messages call it, as {@code a controller}
   * @param at where it is by default
   * @param patience how long an answer may take
   */
  public Ask(String server, HostPort at, Duration patience) {
    this.server = server;
    this.at = at;
    this.patience = patience;
  }

  /** What the server is shown of who asks. */
  protected Map<String, String> headers() throws IOException {
    return Map.of();
  }

  /**
   * What more a server is shown that wants to know who asks; nothing when there is nothing, or when
   * that is no business of this server.
   *
   * @param to whom
   */
  protected Map<String, String> proof(URI to) throws IOException {
    return Map.of();
  }

  /** By what the server is asked over TLS; none to ask in the clear. */
  protected Optional<SSLContext> tls() throws IOException {
    return Optional.empty();
  }

  /**
   * Has the server answer.
   *
   * @throws IOException when nobody answers, or with what the server says is wrong
   */
  public final JsonNode get(String path) throws IOException, InterruptedException {
    return send(path, HttpRequest.newBuilder().GET());
  }

  /** The same with a body that Jackson writes. */
  public final JsonNode post(String path, Object body) throws IOException, InterruptedException {
    return post(path, "application/json", JSON.writeValueAsString(body));
  }

  /** The same with a body of another type. */
  public final JsonNode post(String path, String type, String body)
      throws IOException, InterruptedException {
    return send(
        path,
        HttpRequest.newBuilder().header("Content-Type", type).POST(BodyPublishers.ofString(body)));
  }

  /** A name as a segment of a path. */
  public static String segment(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private JsonNode send(String path, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    headers().forEach(request::header);
    Optional<SSLContext> tls = tls();
    HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(CONNECT);
    tls.ifPresent(client::sslContext);
    HttpClient http = client.build();
    URI to = URI.create((tls.isPresent() ? "https://" : "http://") + at + path);
    HttpResponse<InputStream> response = exchange(http, request, to);
    for (int i = 0; i < REDIRECTS_MAX && REDIRECTS.contains(response.statusCode()); i++) {
      to = elsewhere(to, response);
      response = exchange(http, request, to);
    }
    while (isToComeAgain(response)) {
      response.body().close();
      to = elsewhere(to, response);
      response = exchange(http, request, to);
    }
    JsonNode answer = read(to, response);
    if (response.statusCode() != 200) {
      String why =
          answer
              .path("error")
              .asText("%s answers with status %d".formatted(place(to), response.statusCode()));
      boolean unknown = response.statusCode() == HttpURLConnection.HTTP_NOT_FOUND;
      throw new IOException(
          unknown ? why + "; what runs at %s may be of another version".formatted(place(to)) : why);
    }
    return answer;
  }

  private static boolean isToComeAgain(HttpResponse<InputStream> response) {
    return response.statusCode() == HttpURLConnection.HTTP_ACCEPTED
        && response.headers().firstValue("Location").isPresent();
  }

  private HttpResponse<InputStream> exchange(HttpClient http, HttpRequest.Builder request, URI to)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> response = send(http, request, to);
    if (response.statusCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      Map<String, String> proof = proof(to);
      if (!proof.isEmpty()) {
        response.body().close();
        HttpRequest.Builder proven = request.copy(); // nobody else is shown it
        proof.forEach(proven::setHeader);
        return send(http, proven, to);
      }
    }
    return response;
  }

  private HttpResponse<InputStream> send(HttpClient http, HttpRequest.Builder request, URI to)
      throws IOException, InterruptedException {
    try {
      return http.send(request.uri(to).timeout(patience).build(), BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw new IOException(
          "no answer from %s at %s (%s); see --at, and whether it runs there"
              .formatted(server, place(to), reason(e)),
          e);
    }
  }

  private static String reason(IOException e) {
    String reason = ConnectionErrors.reason(e);
    return reason.equals("null") ? e.getClass().getSimpleName() : reason;
  }

  private static String place(URI to) {
    return to.getRawAuthority();
  }

  /** What is shown to one server over TLS is not shown to the next in the clear. */
  private static URI elsewhere(URI from, HttpResponse<?> response) throws IOException {
    URI to;
    try {
      to = from.resolve(response.headers().firstValue("Location").orElse(""));
    } catch (IllegalArgumentException e) {
      throw new IOException(place(from) + " names another server by no address", e);
    }
    boolean asGood = "https".equals(to.getScheme()) || "http".equals(from.getScheme());
    if (!asGood || !Set.of("http", "https").contains(String.valueOf(to.getScheme()))) {
      throw new IOException(
          "%s says to ask %s, which is not asked by that scheme".formatted(place(from), to));
    }
    return to;
  }

  private JsonNode read(URI from, HttpResponse<InputStream> response) throws IOException {
    try (InputStream body = response.body()) {
      byte[] bytes = body.readNBytes(ANSWER_BYTES_MAX + 1);
      if (bytes.length > ANSWER_BYTES_MAX) {
        throw new IOException("%s answers with more than 32 MiB".formatted(place(from)));
      }
      return JSON.readTree(bytes);
    } catch (JsonProcessingException e) {
      throw new IOException(
          "what answers at %s is not %s: no JSON, status %d; see --at"
              .formatted(place(from), server, response.statusCode()),
          e);
    }
  }

  /** Whether JSON was wanted, which is printed then. */
  public final boolean printed(JsonNode answer, PrintWriter out) {
    if (json) {
      out.println(answer.toPrettyString());
      out.flush();
    }
    return json;
  }
}

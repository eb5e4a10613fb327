package io.mgtm.ha.api;

import io.javalin.http.Context;
import io.javalin.http.Header;
import io.javalin.http.HttpStatus;
import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.TlsFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Passes a request on to another controller, for a browser, which may not be able to reach it or
 * would need to be told a token again. Any thread.
 */
final class Forward {
  /** Set to 1 by who would rather not be redirected. */
  static final String HEADER = "Mgtm-Forward";

  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration ANSWER = Duration.ofSeconds(35);

  private final HttpClient client;
  private final Optional<String> ownToken;

  private Forward(HttpClient client, Optional<String> ownToken) {
    this.client = client;
    this.ownToken = ownToken;
  }

  /**
   * As this controller is served: over TLS the others' certificates must be, or be signed by, what
   * {@code tls.trust} names, or else the file of its own certificate.
   *
   * @throws IOException when a file cannot be used
   */
  static Forward by(ApiSetup setup) throws IOException {
    HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(CONNECT);
    TlsFiles files = setup.tls();
    if (files.certificate() != null) {
      Path trust = files.trust() == null ? files.certificate() : files.trust();
      client.sslContext(new TlsFiles("tls.", null, null, trust).client(TlsFiles.VERSION).context());
    }
    return new Forward(client.build(), setup.secret().map(OperatorToken::of));
  }

  static boolean isWanted(Context ctx) {
    return "1".equals(ctx.header(HEADER));
  }

  /** Who asks, in what such a name may have. */
  private static String name(Context ctx) {
    Caller caller = Access.of(ctx);
    String name = caller == null ? "" : caller.name().replaceAll("[^A-Za-z0-9_.@-]", "-");
    return name.isEmpty() ? "operator" : name;
  }

  /**
   * Answers with what the other one answers; whether who asks may has been seen to.
   *
   * @param to the other's address for this request
   */
  void pass(Context ctx, URI to) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(to)
            .timeout(ANSWER)
            .header("Mgtm-Operator", name(ctx))
            .header(
                Header.CONTENT_TYPE,
                Optional.ofNullable(ctx.contentType()).orElse("application/json"))
            .method(ctx.method().name(), BodyPublishers.ofByteArray(Request.body(ctx)));
    Optional.ofNullable(ctx.header(Header.AUTHORIZATION))
        .or(() -> ownToken.map(token -> "Bearer " + token))
        .ifPresent(shown -> request.header(Header.AUTHORIZATION, shown));
    try {
      HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
      // It does not lead any more: who asks looks again.
      boolean moved = answer.statusCode() == HttpStatus.TEMPORARY_REDIRECT.getCode();
      ctx.status(moved ? HttpStatus.SERVICE_UNAVAILABLE.getCode() : answer.statusCode());
      if (moved) {
        ctx.json(Map.of("error", "the leading controller is changing; try again"));
      } else {
        ctx.contentType("application/json").result(answer.body());
      }
    } catch (IOException e) {
      ctx.status(HttpStatus.SERVICE_UNAVAILABLE)
          .json(
              Map.of(
                  "error",
                  "no answer from the controller at %s (%s); look at the status, whether it was done"
                      .formatted(to.getAuthority(), ConnectionErrors.reason(e))));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      ctx.status(HttpStatus.SERVICE_UNAVAILABLE).json(Map.of("error", "this controller stops"));
    }
  }
}

package io.mgtm.ha.api;

import io.javalin.http.Context;
import io.javalin.http.Header;
import io.javalin.http.HttpStatus;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();

  static boolean isWanted(Context ctx) {
    return "1".equals(ctx.header(HEADER));
  }

  /**
   * Answers with what the other one answers; whether who asks may has been seen to.
   *
   * @param to the other's address for this request
   * @param ownToken what this controller shows for who has shown it no token
   */
  void pass(Context ctx, URI to, Optional<String> ownToken) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(to)
            .timeout(ANSWER)
            .header(
                "Mgtm-Operator",
                Optional.ofNullable(ctx.header("Mgtm-Operator")).orElse("operator"))
            .method(ctx.method().name(), BodyPublishers.ofString(ctx.body()));
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
                      .formatted(
                          to.getAuthority(),
                          e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      ctx.status(HttpStatus.SERVICE_UNAVAILABLE).json(Map.of("error", "this controller stops"));
    }
  }
}

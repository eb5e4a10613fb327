package io.mgtm.ha.notify;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.Hmac;
import io.mgtm.common.SecretFile;
import io.mgtm.common.TlsFiles;
import io.mgtm.ha.config.NotifyConfig;
import io.mgtm.ha.core.Event;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Posts events as JSON to a program: {@code {"cluster": …, "lost": …, "events": […]}}. The header
 * {@code Mgtm-Timestamp} has the seconds since 1970, and {@code Mgtm-Signature} {@code sha256=} and
 * the HMAC-SHA-256 of timestamp, a dot and the body by the webhook's secret, in hexadecimal digits.
 * Any answer of 2xx says that they were taken.
 */
final class Webhook implements Outlet {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final String cluster;
  private final URI url;
  private final String secret;
  private final HttpClient http;

  /** What is sent. */
  private record Body(String cluster, long lost, List<Event> events) {}

  /**
   * As configured.
   *
   * @throws IOException when a file cannot be used
   */
  Webhook(String cluster, String name, NotifyConfig.Webhook config) throws IOException {
    String key = "notify.webhooks." + name + ".";
    this.cluster = cluster;
    this.url = config.url();
    this.secret = SecretFile.ofLinks(key + "secretFile", config.secretFile());
    TlsFiles tls = new TlsFiles(key, null, null, config.trust().orElse(null));
    // Where it would be sent on to is not what was configured.
    this.http =
        HttpClient.newBuilder()
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .sslContext(tls.client("TLSv1.3", "TLSv1.2").context())
            .build();
  }

  @Override
  public void send(List<Event> events, long lost) throws IOException, InterruptedException {
    String body = JSON.writeValueAsString(new Body(cluster, lost, events));
    long timestamp = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(ANSWER)
            .header("Content-Type", "application/json")
            .header("Mgtm-Timestamp", Long.toString(timestamp))
            .header("Mgtm-Signature", "sha256=" + Hmac.hex(secret, timestamp + "." + body))
            .POST(BodyPublishers.ofString(body, UTF_8))
            .build();
    HttpResponse<Void> response;
    try {
      response = http.send(request, BodyHandlers.discarding());
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(url, ConnectionErrors.reason(e)), e);
    }
    if (response.statusCode() / 100 != 2) {
      throw new IOException("%s answers with status %d".formatted(url, response.statusCode()));
    }
  }
}

package io.mgtm.ha.notify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.mgtm.ha.config.NotifyConfig;
import io.mgtm.ha.model.EventKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebhookTest {
  private static final String SECRET = "0123456789abcdef";

  @TempDir private Path folder;
  private HttpServer server;
  private volatile int status = 204;
  private volatile String timestamp;
  private volatile String signature;
  private volatile String body;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.createContext(
        "/hook",
        exchange -> {
          timestamp = exchange.getRequestHeaders().getFirst("Mgtm-Timestamp");
          signature = exchange.getRequestHeaders().getFirst("Mgtm-Signature");
          body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          exchange.getResponseHeaders().set("Location", "/elsewhere");
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Webhook webhook(int port) throws IOException {
    return new Webhook(
        "orders",
        "ops",
        new NotifyConfig.Webhook(
            URI.create("http://127.0.0.1:" + port + "/hook"),
            Files.writeString(folder.resolve("secret"), SECRET + "\n"),
            Optional.empty(),
            Set.of()));
  }

  /** As a program that takes them would do it. */
  private static String hmac(String text) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
    StringBuilder hex = new StringBuilder();
    for (byte b : mac.doFinal(text.getBytes(UTF_8))) {
      hex.append("%02x".formatted(b));
    }
    return hex.toString();
  }

  @Test
  void eventsArePostedAndSigned() throws Exception {
    webhook(server.getAddress().getPort())
        .send(List.of(States.event(7, EventKind.FAILURE), States.event(8, EventKind.NODE)), 3);

    assertThat(signature).isEqualTo("sha256=" + hmac(timestamp + "." + body));
    JsonNode sent = new ObjectMapper().readTree(body);
    assertThat(sent.path("cluster").asText()).isEqualTo("orders");
    assertThat(sent.path("lost").asInt()).isEqualTo(3);
    assertThat(sent.path("events").findValuesAsText("id")).containsExactly("7", "8");
    assertThat(sent.path("events").path(0).path("kind").asText()).isEqualTo("FAILURE");
  }

  @Test
  void anotherAnswerIsNoConsent() throws Exception {
    Webhook webhook = webhook(server.getAddress().getPort());
    for (int refusal : new int[] {302, 404, 500}) {
      status = refusal;
      assertThatThrownBy(() -> webhook.send(List.of(States.event(7, EventKind.NODE)), 0))
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith("/hook answers with status " + refusal);
    }
  }

  @Test
  void nobodyThereIsSaidSo() throws Exception {
    int port = server.getAddress().getPort();
    server.stop(0);

    assertThatThrownBy(() -> webhook(port).send(List.of(States.event(7, EventKind.NODE)), 0))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("http://127.0.0.1:" + port + "/hook: ");
  }
}

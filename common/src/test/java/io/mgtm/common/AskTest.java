package io.mgtm.common;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AskTest {
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private HttpServer first;
  private HttpServer second;

  @BeforeEach
  void start() throws IOException {
    first = server("first");
    second = server("second");
  }

  @AfterEach
  void stop() {
    first.stop(0);
    second.stop(0);
  }

  private HttpServer server(String name) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.createContext(
        "/",
        exchange -> {
          String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          String path = exchange.getRequestURI().toString();
          asked.add(
              "%s %s %s %s"
                  .formatted(name, path, exchange.getRequestHeaders().getFirst("Who"), body));
          int status = 200;
          String answer = "{\"at\":\"%s\"}".formatted(name);
          switch (path) {
            case "/moved" -> status = 307;
            case "/bad" -> {
              status = 409;
              answer = "{\"error\":\"not now\"}";
            }
            case "/page" -> answer = "<html>";
            case "/proven" ->
                status = exchange.getRequestHeaders().containsKey("Proof") ? 307 : 401;
            case "/slow?a=1" -> status = 202;
            case "/round" -> status = 307;
            default -> {
              // As it is.
            }
          }
          if (status == 307) {
            String to = path.equals("/round") ? at(first) + "/round" : at(second) + "/there?x=1";
            exchange.getResponseHeaders().set("Location", "http://" + to);
          }
          if (status == 202) {
            exchange.getResponseHeaders().set("Location", "/done?ticket=7");
          }
          exchange.sendResponseHeaders(status, answer.length());
          exchange.getResponseBody().write(answer.getBytes(UTF_8));
          exchange.close();
        });
    server.start();
    return server;
  }

  private static String at(HttpServer server) {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  private Ask ask() {
    return new Ask("a server", HostPort.parse(at(first)), Duration.ofMinutes(2)) {
      @Override
      protected Map<String, String> headers() {
        return Map.of("Who", "anna");
      }
    };
  }

  @Test
  void whoIsNamedInItsPlaceIsAskedTheSame() throws Exception {
    assertThat(ask().post("/moved", Map.of("a", 1)).path("at").asText()).isEqualTo("second");
    assertThat(asked)
        .containsExactly("first /moved anna {\"a\":1}", "second /there?x=1 anna {\"a\":1}");
  }

  @Test
  void thoseWhoNameEachOtherAreNotAskedForEver() {
    assertThatThrownBy(() -> ask().get("/round"))
        .isInstanceOf(IOException.class)
        .hasMessage(at(first) + " answers with status 307");
    assertThat(asked).hasSize(4);
  }

  @Test
  void whoIsNotDoneIsAskedAgain() throws Exception {
    assertThat(ask().get("/slow?a=1").path("at").asText()).isEqualTo("first");
    assertThat(asked).containsExactly("first /slow?a=1 anna ", "first /done?ticket=7 anna ");
  }

  @Test
  void whoWantsAProofIsShownItAndNobodyElse() throws Exception {
    List<String> proven = new CopyOnWriteArrayList<>();
    Ask ask =
        new Ask("a server", HostPort.parse(at(first)), Duration.ofMinutes(2)) {
          @Override
          protected Map<String, String> proof(URI to) {
            proven.add(to.getRawAuthority());
            return Map.of("Proof", "p", "Who", "bert");
          }
        };

    assertThat(ask.get("/proven").path("at").asText()).isEqualTo("second");

    assertThat(proven).containsExactly(at(first));
    assertThat(asked)
        .containsExactly("first /proven null ", "first /proven bert ", "second /there?x=1 null ");
  }

  @Test
  void whatIsWrongIsWhatTheServerSays() {
    assertThatThrownBy(() -> ask().get("/bad")).hasMessage("not now");
  }

  @Test
  void somethingElseThatAnswersIsSaidSo() {
    assertThatThrownBy(() -> ask().get("/page"))
        .hasMessageStartingWith("what answers at %s is not a server: ".formatted(at(first)));
  }

  @Test
  void aNameIsOneSegment() {
    assertThat(Ask.segment("a b/c?")).isEqualTo("a%20b%2Fc%3F");
  }
}

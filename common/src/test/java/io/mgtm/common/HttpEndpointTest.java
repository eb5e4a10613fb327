package io.mgtm.common;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpEndpointTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile String trouble = "";
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final AtomicInteger changes = new AtomicInteger();
  private HttpEndpoint endpoint;

  @BeforeEach
  void start() throws IOException {
    endpoint =
        HttpEndpoint.listen("--metrics", new HostPort("127.0.0.1", 0))
            .metrics(() -> "a_metric 1\n")
            .page("/long", parameters -> "x".repeat(16 << 20))
            .health(() -> trouble, () -> "two \"nodes\"")
            .page("/servers", parameters -> List.of(parameters))
            .slowPage("GET", "/slow", new SlowPage(this::slow, 50))
            .change("/change", parameters -> changes.incrementAndGet())
            .slowChange("/slow-change", parameters -> changes.incrementAndGet())
            .page(
                "/broken",
                parameters -> {
                  throw new IOException("nobody answers");
                })
            .start();
  }

  private Object slow(Map<String, String> parameters) throws IOException {
    done.join();
    if (parameters.containsKey("fails")) {
      throw new IOException("it was in vain");
    }
    return parameters;
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private HttpResponse<String> ask(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + endpoint.address().getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void metricsAreText() throws Exception {
    assertThat(ask("GET", "/metrics").body()).isEqualTo("a_metric 1\n");
    assertThat(ask("POST", "/metrics").statusCode()).isEqualTo(405);
  }

  @Test
  void nothingIsDoneForAnotherMethod() throws Exception {
    for (String page : List.of("/change", "/slow-change")) {
      for (String method : List.of("GET", "PUT", "HEAD")) {
        HttpResponse<String> refused = ask(method, page);
        assertThat(refused.statusCode()).as("%s %s", method, page).isEqualTo(405);
        assertThat(refused.headers().firstValue("Allow")).contains("POST");
      }
    }
    assertThat(ask("GET", "/change").body())
        .isEqualTo("{\"error\":\"/change is asked for by POST\"}");
    assertThat(changes).hasValue(0);
    assertThat(ask("POST", "/change").body()).isEqualTo("1");
    assertThat(ask("POST", "/slow-change").body()).isEqualTo("2");
    assertThat(ask("POST", "/broken").statusCode()).isEqualTo(405);
  }

  @Test
  void whoDoesNotReadHoldsUpNobodyElse() throws Exception {
    List<Socket> deaf = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort());
        deaf.add(socket);
        socket.getOutputStream().write("GET /long HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
        assertThat(socket.getInputStream().read()).as("its answer has begun").isEqualTo('H');
      }
      assertThat(ask("GET", "/health").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : deaf) {
        socket.close();
      }
    }
  }

  /** What is not read while a page works is taken for late, and the connection closed. */
  @Test
  void aChangeBeginsWhenItsRequestIsWhole() throws Exception {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort())) {
      String half = "POST /change HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{";
      socket.getOutputStream().write(half.getBytes(US_ASCII));
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
    assertThat(changes).hasValue(0);
  }

  @Test
  void healthSaysWhatIsWrong() throws Exception {
    assertThat(ask("GET", "/health").body())
        .isEqualTo("{\"status\":\"up\",\"detail\":\"two \\\"nodes\\\"\"}\n");
    trouble = "the disk is full";
    HttpResponse<String> down = ask("GET", "/health");
    assertThat(down.statusCode()).isEqualTo(503);
    assertThat(down.body()).isEqualTo("{\"status\":\"down\",\"reason\":\"the disk is full\"}\n");
  }

  @Test
  void pagesAreGivenTheirParameters() throws Exception {
    assertThat(ask("GET", "/servers?sql=SELECT%201&x=").body())
        .isEqualTo("[{\"sql\":\"SELECT 1\",\"x\":\"\"}]");
    HttpResponse<String> broken = ask("GET", "/broken");
    assertThat(broken.statusCode()).isEqualTo(503);
    assertThat(broken.body()).isEqualTo("{\"error\":\"nobody answers\"}");
  }

  @Test
  void anAddressThatIsTakenIsSaidSo() {
    HostPort taken = new HostPort("127.0.0.1", endpoint.address().getPort());
    assertThatThrownBy(() -> HttpEndpoint.listen("--metrics", taken))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "cannot listen on %s: another process listens there; stop it, or choose another port with --metrics"
                .formatted(taken));
  }

  @Test
  void emptyDetailIsLeftOut() throws Exception {
    try (HttpEndpoint other =
        HttpEndpoint.listen("--metrics", new HostPort("127.0.0.1", 0))
            .health(() -> "", () -> "")
            .start()) {
      HttpEndpoint before = endpoint;
      endpoint = other;
      assertThat(ask("GET", "/health").body()).isEqualTo("{\"status\":\"up\"}\n");
      endpoint = before;
    }
  }

  @Test
  void whoAsksForWhatTakesLongComesAgain() throws Exception {
    HttpResponse<String> first = ask("GET", "/slow?x=1");
    assertThat(first.statusCode()).isEqualTo(202);
    String again = first.headers().firstValue("Location").orElseThrow();
    assertThat(ask("GET", again).statusCode()).isEqualTo(202);
    HttpResponse<String> fails = ask("GET", "/slow?fails=1");
    done.complete(null);
    assertThat(ask("GET", again).body()).isEqualTo("{\"x\":\"1\"}");
    assertThat(ask("GET", again).body()).contains("nothing is known of this request");
    assertThat(ask("GET", fails.headers().firstValue("Location").orElseThrow()).body())
        .isEqualTo("{\"error\":\"it was in vain\"}");
  }
}

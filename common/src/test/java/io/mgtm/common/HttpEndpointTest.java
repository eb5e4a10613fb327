package io.mgtm.common;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.HttpMethod;
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
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpEndpointTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile String trouble = "";
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final Semaphore held = new Semaphore(0);
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
            .slowPage(HttpMethod.GET, "/slow", new SlowPage(this::slow, 50))
            .change("/change", parameters -> changes.incrementAndGet())
            .slowChange("/slow-change", parameters -> changes.incrementAndGet())
            .page(
                "/held",
                parameters -> {
                  held.release();
                  return done.join();
                })
            .page(
                "/failing",
                parameters -> {
                  throw new IllegalStateException("a fault of the page");
                })
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
        .isEqualTo("{\"error\":\"/change is asked for by POST\"}\n");
    assertThat(changes).hasValue(0);
    assertThat(ask("POST", "/change").body()).isEqualTo("1\n");
    assertThat(ask("POST", "/slow-change").body()).isEqualTo("2\n");
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

  /** Many more than are taken at a time; each stays within the time that it has for its request. */
  @Test
  void whoStaysSilentKeepsNobodyOut() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort()));
        if (i % 2 == 0) {
          silent.get(i).getOutputStream().write("GET /hea".getBytes(US_ASCII));
        }
      }
      assertThat(ask("GET", "/health").statusCode()).isEqualTo(200);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** Pages that nobody waits for any more are worked on all the same. */
  @Test
  void noMoreIsWorkedOnThanABound() throws Exception {
    for (int i = 0; i < 64; i++) {
      try (Socket socket =
          new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort())) {
        socket.getOutputStream().write("GET /held HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
        held.acquire();
      }
    }
    assertThat(ask("GET", "/health").body())
        .isEqualTo("{\"error\":\"64 requests are being answered already\"}\n");
    done.complete(null);
    int status;
    do {
      status = ask("GET", "/health").statusCode();
    } while (status != 200); // Until the test's own time is over.
  }

  /** As {@code printf … | nc -N} does. */
  @Test
  void whoHasAskedMayShutItsSide() throws Exception {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort())) {
      socket.getOutputStream().write("GET /health HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 200 OK\r\n")
          .endsWith("\"}\n");
    }
  }

  @Test
  void whatIsNoRequestIsRefused() throws Exception {
    HttpResponse<String> none = ask("GET", "/none");
    assertThat(none.statusCode()).isEqualTo(404);
    assertThat(none.body()).contains("there is no /none; there are /metrics, /long, ");
    assertThat(ask("GET", "/failing").statusCode()).isEqualTo(500);
    assertThat(raw("no request\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ")
        .contains("this is no request: ");
    assertThat(raw("GET /%zz HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    assertThat(raw("GET /" + "x".repeat(300_000) + " HTTP/1.1\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ");
    assertThat(raw("POST /change HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"))
        .startsWith("HTTP/1.1 413 ");
    assertThat(changes).hasValue(0);
  }

  private String raw(String request) throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort())) {
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
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
        .isEqualTo("[{\"sql\":\"SELECT 1\",\"x\":\"\"}]\n");
    HttpResponse<String> broken = ask("GET", "/broken");
    assertThat(broken.statusCode()).isEqualTo(503);
    assertThat(broken.body()).isEqualTo("{\"error\":\"nobody answers\"}\n");
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
    assertThat(answer(again)).isEqualTo("{\"x\":\"1\"}\n");
    assertThat(ask("GET", again).body()).contains("nothing is known of this request");
    assertThat(answer(fails.headers().firstValue("Location").orElseThrow()))
        .isEqualTo("{\"error\":\"it was in vain\"}\n");
  }

  /** Asks again for as long as there is none. */
  private String answer(String again) throws Exception {
    HttpResponse<String> answer = ask("GET", again);
    while (answer.statusCode() == 202) {
      answer = ask("GET", again);
    }
    return answer.body();
  }
}

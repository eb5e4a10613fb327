package io.mgtm.ha.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.node.LocalCluster;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many connections that want nothing soon hold nobody up, and take a bounded part. */
class SlowConnectionsIT {
  private static final int MANY = 1_000;

  /** Of those that have something answered, which costs more; the places are full long before. */
  private static final int ANSWERED = 500;

  /** So many are wanted at a time of who is not slow. */
  private static final int ANSWERS = 20;

  /** The largest that is answered to anybody. */
  private static final String LARGE = "/v1/openapi.json";

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @TempDir private static Path folder;
  private static LocalCluster cluster;
  private static ApiServer server;
  private static HostPort at;
  private final List<Socket> slow = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    cluster =
        new LocalCluster(
            folder,
            List.of("a"),
            """
            hierarchies:
              orders:
                nodes: [a]
                resources:
                  one: {kit: fake}
            """);
    cluster.start("a");
    at = cluster.config().nodes().get("a").api();
    server =
        ApiServer.start(cluster.node("a"), new ApiSetup(at, ResourceCheck.NONE, Optional.empty()));
    Await.until("a leader", () -> cluster.leader().isPresent());
  }

  @AfterAll
  static void stop() {
    server.close();
    cluster.close();
  }

  @AfterEach
  void closeAll() throws IOException {
    for (Socket socket : slow) {
      socket.close();
    }
  }

  /** Opens one that sends this, and reads nothing. */
  private void open(String text) throws IOException {
    Socket socket = new Socket();
    slow.add(socket);
    socket.setReceiveBufferSize(1_024);
    socket.connect(new InetSocketAddress(at.host(), at.port()));
    try {
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(US_ASCII));
      out.flush();
    } catch (IOException e) {
      // It has made room for another already.
    }
  }

  /** Others are answered, and seldom have to ask again. */
  private static void assertAnswers() {
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < ANSWERS; i++) {
      Await.until(
          "others are answered",
          () -> {
            asked.incrementAndGet();
            return answers();
          });
    }
    assertThat(asked).hasValueLessThanOrEqualTo(2 * ANSWERS);
  }

  /** On a machine that others use it may be slow itself, and give way. */
  private static boolean answers() throws InterruptedException {
    URI health = URI.create("http://%s/health".formatted(at));
    try {
      String body =
          CLIENT.send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString()).body();
      assertThat(body).contains("a leads");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith("mgtm-http"))
        .count();
  }

  private static void assertBounded() {
    Await.until("places are given on", () -> server.connections() <= Web.CONNECTIONS_MAX);
    assertThat(threads()).isLessThanOrEqualTo(Web.THREADS_MAX);
  }

  @Test
  void whoNeverEndsTheHeadOfARequestGivesWay() throws Exception {
    for (int i = 1; i <= MANY; i++) {
      open("GET /v1/status HTTP/1.1\r\nHost: x\r\nX: ");
      if (i % 250 == 0) {
        assertAnswers();
        assertBounded();
      }
    }
  }

  @Test
  void whoNeverReadsWhatItHasAskedForGivesWay() throws Exception {
    String request = "GET %s HTTP/1.1\r\nHost: x\r\n\r\n".formatted(LARGE).repeat(40);
    for (int i = 1; i <= ANSWERED; i++) {
      open(request);
      if (i % 250 == 0) {
        assertAnswers();
        assertBounded();
      }
    }
  }
}

package io.mgtm.ha.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RequestTimeTest {
  private static final long LIMIT_MS = 200;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server);
  private final RequestTime requestTime = new RequestTime(server, LIMIT_MS);

  @BeforeEach
  void start() throws Exception {
    connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws InterruptedException {
            asked.countDown();
            answer.await();
            callback.succeeded();
            return true;
          }
        });
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    answer.countDown();
    requestTime.stop();
    server.stop();
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort());
  }

  private static void write(Socket to, String text) throws IOException {
    OutputStream out = to.getOutputStream();
    out.write(text.getBytes(US_ASCII));
    out.flush();
  }

  @Test
  void whoNeverComesToTheEndOfARequestIsCutOffAndWhoWaitsForAnAnswerIsNot() throws Exception {
    try (Socket waiting = connect();
        Socket slow = connect()) {
      write(waiting, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      asked.await();
      // Only now: on a busy machine the server may read the whole request later than the limit.
      requestTime.start();
      write(slow, "GET / HTTP/1.1\r\nX: ");

      Await.until(
          "it is cut off",
          () -> {
            try {
              write(slow, "a");
              return false;
            } catch (IOException e) {
              return true;
            }
          });

      answer.countDown();
      assertThat(new String(waiting.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 200");
    }
  }
}

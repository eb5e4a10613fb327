package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.javalin.Javalin;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.node.ClusterView;
import io.mgtm.testing.Await;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server's idle time-out is what frees the place of a reader that takes nothing. */
@Tag("long")
class SlowReaderIT {
  @Test
  void isCutOff() throws Exception {
    EventStreams streams = new EventStreams(1, 1);
    ClusterView view =
        new ClusterView(
            "a",
            "a",
            1,
            1,
            1,
            List.of(),
            List.of(),
            List.of("x".repeat(1 << 18)),
            Map.of(),
            ClusterState.EMPTY);
    StreamRoute route = new StreamRoute(streams, () -> view);
    Javalin server =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.routes.get("/stream", route::serve);
            });
    server.start("127.0.0.1", 0);
    try (Socket reader = new Socket()) {
      reader.setReceiveBufferSize(4_096);
      reader.connect(
          new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      reader
          .getOutputStream()
          .write(
              "GET /stream?status=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      Await.until("it is sent to", () -> streams.open() == 1);

      Await.until("its place is free", () -> streams.open() == 0);
      assertThat(streams.enter()).isTrue();
    } finally {
      streams.close();
      server.stop();
    }
  }
}

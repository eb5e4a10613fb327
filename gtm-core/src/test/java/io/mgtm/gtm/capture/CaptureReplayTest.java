package io.mgtm.gtm.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every request of the recordings, put to a fresh GTM over sockets in an order that the recording
 * allows, gets the original's answer.
 */
class CaptureReplayTest {
  private static final long FIRST_GXID = 10_000;
  private static final int TIMEOUT_MS = 180_000;

  @ParameterizedTest
  @ValueSource(strings = {"node-direct", "node-proxy", "proxy-gtm"})
  void everyRequestGetsTheAnswerOfTheOriginal(String name, @TempDir Path data) throws Exception {
    List<Capture.Exchange> order =
        new Linearization(
                Capture.read(name),
                new StateUnderTest(FIRST_GXID),
                CaptureReplayTest::answeredBetter)
            .find();
    assertThat(order).hasSizeGreaterThan(1_000);

    try (GtmServer server = GtmServer.start(config(data));
        Clients clients = new Clients(server.address().getPort())) {
      for (Capture.Exchange exchange : order) {
        byte[] answer = clients.ask(exchange);
        if (exchange.reply() != null && !answeredBetter(exchange)) {
          assertThat(ReplyComparison.same(exchange.reply(), answer, clients.proxied(exchange)))
              .as("answer to %s at %s s", hex(exchange.request()), exchange.askedAt())
              .isTrue();
        }
      }
    }
  }

  /** Dropping the sequence of a renamed schema is an error of the original. */
  private static boolean answeredBetter(Capture.Exchange exchange) {
    return exchange.reply() != null
        && exchange.reply()[0] == 'E'
        && new String(exchange.reply(), java.nio.charset.StandardCharsets.ISO_8859_1)
            .contains("Can not close the sequence");
  }

  private static GtmConfig config(Path data) throws Exception {
    GtmConfig d = GtmConfig.DEFAULTS;
    return new GtmConfig(
            data,
            new HostPort("127.0.0.1", 0),
            null,
            d.durability(),
            d.ioThreads(),
            d.log(),
            new GtmConfig.Gxid(FIRST_GXID, d.gxid().stopMargin(), d.gxid().warnMargin()),
            d.limits(),
            d.timeouts(),
            d.group(),
            d.links(),
            d.access())
        .validated();
  }

  private static String hex(byte[] bytes) {
    return java.util.HexFormat.of().formatHex(bytes);
  }

  /** The recorded clients, each with a socket of its own. */
  private static final class Clients implements AutoCloseable {
    private final int port;
    private final Map<Integer, Socket> sockets = new HashMap<>();
    private final Map<Integer, Boolean> proxied = new HashMap<>();

    Clients(int port) {
      this.port = port;
    }

    boolean proxied(Capture.Exchange exchange) {
      return proxied.getOrDefault(exchange.conn(), false);
    }

    byte[] ask(Capture.Exchange exchange) throws IOException {
      if (exchange.type() == 'A') {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MS);
        socket.setTcpNoDelay(true);
        sockets.put(exchange.conn(), socket);
        proxied.put(exchange.conn(), exchange.request()[69] == 1);
      }
      Socket socket = sockets.get(exchange.conn());
      OutputStream out = socket.getOutputStream();
      out.write(exchange.request());
      out.flush();
      return exchange.reply() == null ? new byte[0] : frame(socket);
    }

    private static byte[] frame(Socket socket) throws IOException {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte type = in.readByte();
      int length = in.readInt();
      byte[] frame = new byte[length + 1];
      java.nio.ByteBuffer.wrap(frame).put(type).putInt(length);
      in.readFully(frame, 5, length - 4);
      return frame;
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets.values()) {
        socket.close();
      }
    }
  }
}

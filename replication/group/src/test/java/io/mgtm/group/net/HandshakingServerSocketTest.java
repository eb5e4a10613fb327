package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.SocketFactory;
import org.jgroups.util.TLS;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandshakingServerSocketTest {
  private static final int SILENT_PEERS = 8;

  @TempDir Path folder;
  private SocketFactory factory;
  private ServerSocket server;

  @BeforeEach
  void listen() throws Exception {
    TLS tls = GroupTls.of(TestKeys.in(folder), new Gate(new AllowList(List.of())));
    tls.init();
    factory = tls.createSocketFactory();
    server = factory.createServerSocket("test");
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private SSLSocket connect() throws IOException {
    SSLSocket client = (SSLSocket) factory.createSocket("test");
    client.connect(server.getLocalSocketAddress());
    return client;
  }

  private CompletableFuture<Socket> accept() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return server.accept();
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** A process' first handshake is slow: once the server may have given it up. */
  private SSLSocket connected(CompletableFuture<Socket> accepted) throws Exception {
    SSLSocket client = connect();
    try {
      client.startHandshake();
      accepted.get(5, TimeUnit.SECONDS);
    } catch (IOException | TimeoutException e) {
      client.close();
      client = connect();
      client.startHandshake();
    }
    return client;
  }

  @Test
  void handshakesEndWhileTheCallerOfAcceptIsBusy() throws Exception {
    CompletableFuture<Socket> first = accept();
    try (SSLSocket one = connected(first);
        Socket accepted = first.get(180, TimeUnit.SECONDS)) {
      // Nobody calls accept any more, as when the acceptor waits for a lock.
      try (SSLSocket two = connect();
          SSLSocket three = connect()) {
        two.startHandshake();
        three.startHandshake();
        assertThat(two.getSession().getProtocol()).isEqualTo("TLSv1.3");
        one.getOutputStream().write(42);
        assertThat(accepted.getInputStream().read()).isEqualTo(42);
      }
    }
  }

  @Test
  void silentPeersKeepNobodyWaiting() throws Exception {
    Socket[] silent = new Socket[SILENT_PEERS];
    try (SSLSocket client = connect()) {
      for (int i = 0; i < SILENT_PEERS; i++) {
        silent[i] = new Socket();
        silent[i].connect(server.getLocalSocketAddress());
      }
      CompletableFuture<Socket> accepted = accept();
      client.startHandshake();
      try (Socket other = accepted.get(180, TimeUnit.SECONDS)) {
        assertThat(other.getPort()).isEqualTo(client.getLocalPort());
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void acceptEndsWhenTheSocketIsClosed() throws Exception {
    CompletableFuture<Socket> waiting = accept();
    server.close();
    assertThatThrownBy(() -> waiting.get(180, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(SocketException.class);
  }

  @Test
  void peerThatDoesNotSpeakTlsIsSentAway() throws Exception {
    CompletableFuture<Socket> waiting = accept();
    try (Socket plain = new Socket()) {
      plain.connect(server.getLocalSocketAddress());
      plain.getOutputStream().write("hello, is somebody there?\r\n".getBytes(US_ASCII));
      plain.setSoTimeout(20_000);
      int read = plain.getInputStream().read();
      while (read >= 0) {
        read = plain.getInputStream().read(); // an alert may come before the end
      }
      assertThat(waiting).isNotDone();
    }
  }
}

package io.mgtm.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.common.HttpEndpoint;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the command says where no proxy serves its metrics. */
class StatusCommandTest {
  private static final String HINT = "); see --metrics, and whether it runs there\nstatus 1";

  private static String ask(int port) {
    CommandLine line = ProxyMain.commandLine();
    StringWriter text = new StringWriter();
    line.setOut(new PrintWriter(text));
    line.setErr(new PrintWriter(text));
    int status = line.execute("status", "--metrics", OwnAddress.HOST + ":" + port);
    return text + "status " + status;
  }

  private static String told(int port, String why) {
    return "mgtm: no answer from a proxy at %s:%d (%s%s"
        .formatted(OwnAddress.HOST, port, why, HINT);
  }

  @Test
  void nobodyListens() throws Exception {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(OwnAddress.HOST))) {
      port = taken.getLocalPort();
    }
    assertThat(ask(port)).isEqualTo(told(port, "Connection refused"));
  }

  @Test
  void somethingElseListens() throws Exception {
    assertThat(answered("E\0\0\0\40SFATAL\0Munsupported frontend protocol\0\0"))
        .contains("(it speaks no HTTP" + HINT);
    assertThat(answered("")).contains("(it closed the connection without an answer" + HINT);
    assertThat(answered("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n<html"))
        .contains("(what listens there is no proxy" + HINT);
  }

  @Test
  void anotherServerOfMgtmListens() throws Exception {
    try (HttpEndpoint node =
        HttpEndpoint.listen("--metrics", new HostPort(OwnAddress.HOST, 0))
            .metrics(() -> "mgtm_gtm_commands_total 1\n")
            .health(() -> "", () -> "leads")
            .start()) {
      int port = node.address().getPort();
      assertThat(ask(port)).isEqualTo(told(port, "what listens there is no proxy"));
    }
  }

  /** What the command says to this answer. */
  private static String answered(String answer) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 9, InetAddress.getByName(OwnAddress.HOST))) {
      Thread server = new Thread(() -> serve(listener, answer));
      server.setDaemon(true);
      server.start();
      return ask(listener.getLocalPort());
    }
  }

  private static void serve(ServerSocket listener, String answer) {
    while (!listener.isClosed()) {
      try (Socket client = listener.accept()) {
        client.getInputStream().read(new byte[1024]);
        client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
      } catch (IOException e) {
        // The test has ended, or the command has closed it.
      }
    }
  }
}

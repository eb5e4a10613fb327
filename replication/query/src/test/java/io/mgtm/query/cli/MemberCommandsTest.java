package io.mgtm.query.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What commands ask of a replicator, and what they show of its answer. */
class MemberCommandsTest {
  private static final String ANSWER =
      "{\"leader\": \"b:5432\", \"serversIn\": 2, \"databasesCopied\": [\"shop\"]}";

  private final List<String> asked = new ArrayList<>();
  private HttpServer replicator;

  @BeforeEach
  void listen() throws IOException {
    replicator = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    replicator.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          byte[] answer = ANSWER.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    replicator.start();
  }

  @AfterEach
  void stop() {
    replicator.stop(0);
  }

  private String run(String command) {
    CommandLine line = QueryMain.commandLine();
    StringWriter text = new StringWriter();
    line.setOut(new PrintWriter(text));
    line.setErr(new PrintWriter(text));
    String at = "127.0.0.1:" + replicator.getAddress().getPort();
    assertThat(line.execute(command, "--at", at, "b:5432")).isZero();
    return text.toString();
  }

  @Test
  void eachAsksForWhatItIsCalled() {
    assertThat(run("add-server")).isEqualTo("b:5432 is in; copied: shop; 2 servers are in\n");
    assertThat(run("promote")).isEqualTo("b:5432 leads\n");
    assertThat(run("remove-server"))
        .isEqualTo("b:5432 was removed; 2 servers are in, b:5432 leads\n");
    assertThat(asked)
        .containsExactly(
            "POST /add-server?server=b%3A5432",
            "POST /promote?server=b%3A5432", "POST /remove-server?server=b%3A5432");
  }
}

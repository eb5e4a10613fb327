package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A node that does not tell about its group is never taken for one that is in none. */
class StatusRefusalTest {
  @TempDir private Path folder;

  private record Result(int status, String out, String err) {}

  private static Result status(int port, String... options) {
    List<String> all = new ArrayList<>(List.of("status", "--at", "127.0.0.1:" + port));
    all.addAll(List.of(options));
    StringWriter err = new StringWriter();
    CommandLine line = GtmMain.commandLine();
    StringWriter out = new StringWriter();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int status = line.execute(all.toArray(String[]::new));
    return new Result(status, out.toString(), err.toString());
  }

  private Path secret(String text) throws IOException {
    return Files.writeString(folder.resolve(text), text + "\n");
  }

  @Test
  void wrongOrNoSecretIsAnError() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("gtm.yaml"),
            "data: %s\nlisten: 127.0.0.1:0\nlinks: {secretFile: %s}\n"
                .formatted(folder.resolve("data"), secret("the right secret of it")));
    try (GtmServer server = GtmServer.start(GtmConfig.read(file).validated())) {
      int port = server.address().getPort();
      Result none = status(port);
      assertThat(none.status()).isEqualTo(1);
      assertThat(none.err()).contains("asks for a secret").contains("use --secret-file");
      Result wrong = status(port, "--secret-file", secret("wrong").toString());
      assertThat(wrong.status()).isEqualTo(1);
      assertThat(wrong.err()).contains("secret");
      Result right =
          status(port, "--secret-file", folder.resolve("the right secret of it").toString());
      assertThat(right.status()).isZero();
      assertThat(right.out())
          .contains(
              "asked over the link only: this GTM takes no Postgres-XC client from your address")
          .contains("next gxid")
          .contains("0 open, 0 of them prepared");
    }
  }

  @Test
  void secretForWhatIsNoNodeIsAnError() throws Exception {
    try (ServerSocket original = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> refuse(original));
      server.start();
      Result result = status(original.getLocalPort(), "--secret-file", secret("some").toString());
      assertThat(result.status()).isEqualTo(1);
      assertThat(result.err()).contains("is no node of mgtm");
      server.join();
    }
  }

  /** As an original GTM answers what is no startup packet. */
  private static void refuse(ServerSocket original) {
    try (Socket client = original.accept()) {
      client.getOutputStream().write(new byte[] {'E', 0, 0, 0, 5, 0});
      client.getInputStream().readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.mgtm.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.Cli;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class UpCommandTest {
  @TempDir Path folder;

  /** Whichever of its addresses is taken: the person has given one port. */
  @Test
  void takenPortIsChosenByItsOnlyOption() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      CommandLine line = Cli.of(new UpCommand());
      StringWriter errors = new StringWriter();
      line.setErr(new PrintWriter(errors));
      int status = line.execute("--data", folder.toString(), "--port", String.valueOf(port));
      assertThat(status).isEqualTo(1);
      assertThat(errors)
          .hasToString(
              "mgtm: cannot listen on 127.0.0.1:%d: another process listens there; stop it, or choose another port with --port%n"
                  .formatted(port));
      assertThat(folder).isEmptyDirectory();
    }
  }
}

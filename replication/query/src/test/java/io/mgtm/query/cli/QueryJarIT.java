package io.mgtm.query.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.ClassArchive;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The jar as operators run it. */
class QueryJarIT {
  @TempDir private Path folder;

  @Test
  void itListensAndEndsWhenTerminated() throws Exception {
    List<String> command = ClassArchive.command(Path.of(System.getProperty("mgtm.jar")));
    command.addAll(List.of("start", "--listen=127.0.0.1:0", "--server=127.0.0.1:1"));
    Process process =
        new ProcessBuilder(command).redirectError(folder.resolve("errors").toFile()).start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      int port = Integer.parseInt(out.readLine().replaceAll(".*:", ""));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.getOutputStream().write(new byte[] {0, 0, 0, 8, 4, (byte) 0xd2, 0x16, 0x2f});
        assertThat(socket.getInputStream().read()).isEqualTo('N');
      }
      process.destroy();
      assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String run(String... arguments) {
    CommandLine line = QueryMain.commandLine();
    StringWriter text = new StringWriter();
    line.setOut(new PrintWriter(text));
    line.setErr(new PrintWriter(text));
    int status = line.execute(arguments);
    return text + (status == 0 ? "" : "status " + status);
  }

  @Test
  void whatIsWrongIsToldInOneLine() {
    assertThat(run("start"))
        .isEqualTo(
            "mgtm: servers: expected 1 to 16 addresses HOST:PORT, each once; set them with"
                + " --server\nstatus 1");
    assertThat(run("start", "--server", "a:1", "--server", "b:1"))
        .startsWith("mgtm: data: expected a folder");
    assertThat(run("start", "--server", "nowhere"))
        .contains("\"nowhere\" is no address: expected HOST:PORT")
        .contains("see mgtm query start --help");
    assertThat(run("start", "--server", "127.0.0.1:1", "--listen", "203.0.113.1:1"))
        .startsWith("mgtm: cannot listen on 203.0.113.1:1: ");
    assertThat(run("--help")).contains("plain PostgreSQL");
  }
}

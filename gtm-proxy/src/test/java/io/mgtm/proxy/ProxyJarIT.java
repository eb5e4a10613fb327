package io.mgtm.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.testing.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The jar as operators run it. */
class ProxyJarIT {
  @TempDir private Path folder;

  private static int port(String line) {
    return Integer.parseInt(line.replaceAll("/metrics$", "").replaceAll(".*:", ""));
  }

  @Test
  void itServesTellsHowItIsAndDrainsWhenTerminated() throws Exception {
    try (GtmServer gtm = TestProxy.gtm(folder.resolve("data"))) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-jar",
                  System.getProperty("mgtm.jar"),
                  "start",
                  "--listen",
                  "127.0.0.1:0",
                  "--gtm",
                  TestProxy.at(gtm.address()).toString(),
                  "--metrics",
                  "127.0.0.1:0",
                  "--name",
                  "p9")
              .redirectError(folder.resolve("errors").toFile())
              .start();
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        int at = port(out.readLine());
        int metrics = port(out.readLine());
        useAndTerminate(process, at, metrics);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private static void useAndTerminate(Process process, int at, int metrics)
      throws IOException, InterruptedException {
    try (GtmClient client =
        GtmClient.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), at))) {
      int gxid = client.begin();
      assertThat(run("status", "--metrics", "127.0.0.1:" + metrics))
          .contains("serving", "a group led by", "connections     1");
      process.destroy();
      Await.until("it to accept nobody", () -> isRefused(at));
      assertThat(client.commit(gxid)).isTrue();
    }
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
  }

  private static boolean isRefused(int port) {
    try (java.net.Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return !socket.isConnected();
    } catch (IOException e) {
      return true;
    }
  }

  private static String run(String... arguments) {
    CommandLine line = ProxyMain.commandLine();
    StringWriter text = new StringWriter();
    line.setOut(new PrintWriter(text));
    line.setErr(new PrintWriter(text));
    int status = line.execute(arguments);
    return text + (status == 0 ? "" : "status " + status);
  }

  @Test
  void theJarHoldsNoPartOfANode() throws IOException {
    try (JarFile jar = new JarFile(System.getProperty("mgtm.jar"))) {
      List<String> names = jar.stream().map(JarEntry::getName).toList();
      Assumptions.assumeTrue(
          names.contains("io/mgtm/proxy/ProxyMain.class"), "SKIPPED: the jar only names others");
      assertThat(names)
          .noneMatch(
              name ->
                  name.matches(
                      "io/mgtm/(group|local|gtm/(state|server|config|cli))/.*|org/jgroups/.*"));
    }
  }

  @Test
  void whatIsWrongIsToldInOneLine() {
    assertThat(run("start"))
        .isEqualTo(
            "mgtm: gtm: expected 1 to 64 addresses HOST:PORT; set them with --gtm\nstatus 1");
    assertThat(run("start", "--gtm", "nowhere"))
        .contains("\"nowhere\" is no address: expected HOST:PORT")
        .contains("see mgtm proxy start --help");
    assertThat(run("status", "--metrics", "127.0.0.1:1"))
        .startsWith("mgtm: no answer from a proxy at 127.0.0.1:1 (Connection refused)");
    assertThat(List.of(run("--help"))).first().asString().contains("Runs and asks proxies");
  }
}

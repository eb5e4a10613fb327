package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two members whose links have different secrets. */
class WrongSecretIT {
  /** The others take a leader's clients to listen at the host where it does. */
  private static final HostPort ANY = new HostPort(OwnAddress.HOST, 0);

  @TempDir private Path folder;
  private final List<GtmServer> nodes = new ArrayList<>();

  @AfterEach
  void stop() {
    nodes.forEach(GtmServer::closeAtOnce);
  }

  private void start(String name, String members) throws IOException {
    GtmConfig d = GtmConfig.DEFAULTS;
    Path secret =
        Files.writeString(
            folder.resolve(name + ".secret"), "the secret of %s alone\n".formatted(name));
    nodes.add(
        GtmServer.start(
            new GtmConfig(
                folder.resolve(name),
                ANY,
                ANY,
                d.durability(),
                1,
                new GtmConfig.Log(1024 * 1024, 1024 * 1024),
                d.gxid(),
                d.limits(),
                d.timeouts(),
                new GroupConfig(name, members, GroupMode.FIFO, null, "test"),
                new LinksConfig(secret, null, null, null, false, 10_000),
                d.access())));
  }

  private static String health(GtmServer node) {
    URI uri = URI.create("http://" + HostPort.of(node.metricsAddress()) + "/health");
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theOneThatDoesNotLeadIsDownAndSaysWhy() throws Exception {
    String members =
        "g1=%s:%d,g2=%s:%d"
            .formatted(OwnAddress.HOST, OwnAddress.port(), OwnAddress.HOST, OwnAddress.port());
    start("g1", members);
    start("g2", members);
    Await.until(
        "one that is up, and one that says why it is not",
        () -> {
          String both = health(nodes.get(0)) + health(nodes.get(1));
          return both.contains("\"up\"")
              && both.contains("the secret that was shown is not that of this group");
        });
    assertThat(nodes).allMatch(node -> !node.failure().isDone());
  }
}

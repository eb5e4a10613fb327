package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.client.ClientSettings;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.net.LocalSocket;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.testing.TestKeys;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The socket in the data folder, by which the node's own user comes in. */
class LocalSocketTest {
  @TempDir private Path folder;

  private Path socket() {
    return folder.resolve("data").resolve(LocalSocket.NAME);
  }

  private UnixDomainSocketAddress address() {
    return UnixDomainSocketAddress.of(socket());
  }

  private TestGtm withSecret() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "a secret of this test\n");
    return TestGtm.in(folder).links(new LinksConfig(secret, null, null, null, false, 10_000));
  }

  @Test
  void itsUserNeedsNoSecret() throws Exception {
    try (TestGtm gtm = withSecret().start();
        AdminClient admin =
            AdminClient.connect(
                address(), new AdminClient.Settings(20_000, null, SocketFactory.getDefault()));
        GtmClient client = GtmClient.connect(address())) {
      assertThat(admin.ask("remove", "g9").text()).isNotEmpty().doesNotContain("the role");
      assertThat(client.commit(client.begin())).isTrue();
      assertThat(gtm.connect().startupError()).contains("takes no Postgres-XC client");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
          .isEqualTo("rw-------");
    }
    assertThat(socket()).doesNotExist();
  }

  @Test
  void itsUserNeedsNoTls() throws Exception {
    TestKeys keys = TestKeys.make(folder, "node", "127.0.0.1");
    LinksConfig tlsOnly = new LinksConfig(null, keys.certificate(), keys.key(), null, true, 10_000);
    try (TestGtm gtm = TestGtm.in(folder).links(tlsOnly).start();
        AdminClient admin =
            AdminClient.connect(
                address(), new AdminClient.Settings(20_000, null, SocketFactory.getDefault()))) {
      assertThat(admin.ask("remove", "g9").text()).isNotEmpty().doesNotContain("the role");
      assertThatThrownBy(
              () ->
                  AdminClient.connect(
                      gtm.server().address(),
                      new AdminClient.Settings(20_000, null, SocketFactory.getDefault())))
          .hasMessageContaining("over TLS only");
    }
  }

  @Test
  void whatAKilledProcessLeftIsInNobodysWay() throws Exception {
    TestGtm.in(folder).start().close();
    try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      left.bind(address());
    }
    assertThat(socket()).exists();
    try (TestGtm gtm = TestGtm.in(folder).start();
        GtmClient client = GtmClient.connect(address())) {
      assertThat(client.begin()).isEqualTo(gtm.backend().begin() - 1);
    }
  }

  @Test
  void aNodeWithALongPathGoesWithout() throws Exception {
    Path deep = Files.createDirectories(folder.resolve("d".repeat(100)));
    try (TestGtm gtm = TestGtm.in(deep).start()) {
      assertThat(gtm.backend().begin()).isPositive();
      assertThat(deep.resolve("data").resolve(LocalSocket.NAME)).doesNotExist();
    }
  }

  @Test
  void aNodeThatCanMakeNoneGoesWithout() throws Exception {
    TestGtm.in(folder).start().close();
    Files.createDirectories(socket().resolve("in the way"));
    try (TestGtm gtm = TestGtm.in(folder).start()) {
      assertThat(gtm.backend().begin()).isPositive();
    }
    assertThat(socket().resolve("in the way")).exists();
  }

  @Test
  void aReadEndsInTime() throws Exception {
    ClientSettings hasty =
        new ClientSettings(
            ClientSettings.defaults().startup(), 5_000, 100, ReplyDecoder.FRAME_BYTES_MAX);
    Path mute = folder.resolve("mute");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(mute));
      assertThatThrownBy(() -> GtmClient.connect(UnixDomainSocketAddress.of(mute), hasty))
          .hasMessageContaining("did not answer the startup packet within 100 ms")
          .hasMessageContaining("unix:" + mute);
    }
  }
}

package io.mgtm.gtm.node.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.testing.TestKeys;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkTlsTest {
  @TempDir private Path folder;

  private static LinksConfig links(Path certificate, Path key) {
    return new LinksConfig(
        null, certificate, key, null, true, GtmConfig.DEFAULTS.links().graceMs());
  }

  @Test
  void aKeyThatIsNotThatOfTheCertificateIsRefused() throws Exception {
    TestKeys one = TestKeys.make(folder, "one", "127.0.0.1");
    TestKeys other = TestKeys.make(folder, "other", "127.0.0.1");
    assertThat(LinkTls.server(links(one.certificate(), one.key())).isServer()).isTrue();
    LinksConfig mixed = links(one.certificate(), other.key());
    String why =
        "cannot use links.certificate %s, links.key %s: the key is not that of the certificate"
            .formatted(one.certificate(), other.key());
    assertThatThrownBy(() -> LinkTls.server(mixed)).isInstanceOf(IOException.class).hasMessage(why);
    assertThatThrownBy(() -> LinkTls.client(mixed)).isInstanceOf(IOException.class);
  }
}

package io.mgtm.gtm.node.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.config.AccessConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.LinksConfig;
import io.mgtm.gtm.node.TestConfigs;
import io.mgtm.gtm.node.admin.AdminRole;
import io.mgtm.gtm.wire.link.LinkSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A secret that is changed while all run. */
class LinkKeysTest {
  private static final String NAME = "p1";
  private static final String FIRST = "the-first-secret-of-a-test";
  private static final String SECOND = "the-second-secret-of-a-test";
  private static final byte[] NONCE = {1, 2, 3};

  @TempDir private Path folder;

  private Path file(String name, String... lines) throws IOException {
    return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n");
  }

  private LinkKeys keys(Path links, Path monitor) throws IOException {
    return LinkKeys.read(
        TestConfigs.with(
            folder,
            new LinksConfig(links, null, null, null, false, 10_000),
            monitor == null
                ? GtmConfig.DEFAULTS.access()
                : new AccessConfig(null, null, monitor, null, null)));
  }

  private static LinkRights shown(LinkKeys keys, String secret) {
    return keys.shownBy(NONCE, NAME, new LinkSecret(secret).answer(NONCE, NAME));
  }

  @Test
  void theSecondLineIsAcceptedAndTheFirstIsShown() throws Exception {
    LinkKeys keys = keys(file("links", FIRST, SECOND), null);
    assertThat(shown(keys, FIRST).sessions()).isTrue();
    assertThat(shown(keys, SECOND)).isEqualTo(shown(keys, FIRST));
    assertThat(shown(keys, "another-secret-of-a-test")).isNull();
    assertThat(keys.own().answer(NONCE, NAME)).isEqualTo(new LinkSecret(FIRST).answer(NONCE, NAME));
  }

  @Test
  void aRolesSecretIsChangedInTheSameWay() throws Exception {
    LinkKeys keys = keys(file("links", "links-secret-of-a-test"), file("monitor", FIRST, SECOND));
    assertThat(shown(keys, SECOND)).isEqualTo(shown(keys, FIRST));
    assertThat(shown(keys, SECOND).role()).isEqualTo(AdminRole.MONITOR);
    assertThat(shown(keys, SECOND).sessions()).isFalse();
  }

  @Test
  void noLineIsThatOfAnotherRole() throws Exception {
    Path links = file("links", FIRST, SECOND);
    Path monitor = file("monitor", "monitor-secret-of-a-test", SECOND);
    assertThatThrownBy(() -> keys(links, monitor))
        .hasMessage(
            "access.monitorSecretFile %s holds the secret of another role; each needs its own"
                .formatted(monitor));
  }
}

package io.mgtm.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.ConfigException;
import io.mgtm.testing.Packaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration file and the unit that the package mgtm-proxy installs. */
class PackagedTest {
  @TempDir private Path scratch;

  @Test
  void theConfigurationFileStartsBesideAGtm() throws ConfigException {
    ProxyConfig config = ProxyConfig.read(Packaged.file("etc/mgtm/proxy.yaml")).validated();
    assertThat(config.gtm()).hasSize(1).doesNotContain(config.listen());
  }

  @Test
  void soDoItsExamples() throws ConfigException, IOException {
    Path file = scratch.resolve("proxy.yaml");
    Files.writeString(file, Packaged.withExamples("etc/mgtm/proxy.yaml"));
    ProxyConfig config = ProxyConfig.read(file).validated();
    assertThat(config.drainMs()).isEqualTo(ProxyConfig.DEFAULTS.drainMs());
    assertThat(config.allow()).isNotNull();
  }

  @Test
  void theUnitAsksForWhatThereIs() throws IOException {
    String[] words = Packaged.arguments("mgtm-proxy.service").toArray(String[]::new);
    assertThat(ProxyMain.commandLine().parseArgs(words).subcommand().matchedOption("--config"))
        .isNotNull();
  }
}

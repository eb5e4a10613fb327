package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.ConfigException;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.testing.Packaged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration file and the unit that the package mgtm-gtm installs. */
class PackagedTest {
  @TempDir private Path scratch;

  @Test
  void theConfigurationFileStarts() throws ConfigException {
    GtmConfig config = GtmConfig.read(Packaged.file("etc/mgtm/gtm.yaml")).validated();
    assertThat(config.data()).isEqualTo(Path.of("/var/lib/mgtm-gtm"));
    assertThat(config.group().exists()).isFalse();
  }

  @Test
  void soDoItsExamples() throws ConfigException, IOException {
    Path file = scratch.resolve("gtm.yaml");
    Files.writeString(file, Packaged.withExamples("etc/mgtm/gtm.yaml"));
    GtmConfig config = GtmConfig.read(file).validated();
    assertThat(config.group().exists()).isTrue();
    assertThat(config.limits()).isEqualTo(GtmConfig.DEFAULTS.limits());
    assertThat(config.durability()).isEqualTo(GtmConfig.DEFAULTS.durability());
  }

  @Test
  void theUnitAsksForWhatThereIs() throws IOException {
    String[] words = Packaged.arguments("mgtm-gtm.service").toArray(String[]::new);
    assertThat(GtmMain.commandLine().parseArgs(words).subcommand().matchedOption("--config"))
        .isNotNull();
  }
}

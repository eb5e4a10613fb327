package io.mgtm.gtm.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.group.DurabilityMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a configuration file may say, and what is answered when it says something else. */
class ConfigFileTest {
  @TempDir private Path scratch;

  private Path write(String text) throws IOException {
    return Files.writeString(scratch.resolve("gtm.yaml"), text);
  }

  @Test
  void whatIsNoTextIsToldSo() throws IOException {
    Path binary = Files.write(scratch.resolve("gtm.yaml"), new byte[] {(byte) 0xca, (byte) 0xfe});
    assertThatThrownBy(() -> GtmConfig.read(binary))
        .isInstanceOf(ConfigException.class)
        .hasMessage("cannot read the configuration file " + binary + ": it is not a text in UTF-8");
    assertThatThrownBy(() -> GtmConfig.read(scratch))
        .hasMessage("cannot read the configuration file " + scratch + ": it is a folder");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          connexionsMax: 5            | unknown key connexionsMax, expected one of: access, data, durability
          limits: {connectionMax: 5}  | unknown key limits.connectionMax, expected one of: connectionsMax
          limits: {nodesMax: many}    | limits.nodesMax: "many" is not allowed, expected a whole number
          limits: {nodesMax: 0}       | limits.nodesMax: 0 is not allowed, expected 1 to 100000
          limits: 5                   | limits: 5 is not allowed, expected keys and values
          limits:                     | limits has no value
          ioThreads: 99               | ioThreads: 99 is not allowed, expected 1 to 64
          log: {segmentBytes: 2000001} | log.segmentBytes: 2000001 is not allowed, expected a multiple of 8
          durability: some            | durability: "some" is not allowed, expected critical or all
          gxid: {first: 1.5}          | gxid.first: 1.5 is not allowed, expected a whole number
          listen: 6666                | listen: 6666 is not allowed, expected HOST:PORT
          listen: localhost           | listen: "localhost" is no address: expected HOST:PORT
          just a text                 | expected keys and values
          {                           | line 1
          """)
  void aWrongFileIsRefusedWithKeyValueAndWhatIsAllowed(String text, String message)
      throws IOException {
    Path file = write(text);
    assertThatThrownBy(() -> GtmConfig.read(file).validated())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aKeyThatIsSetTwiceIsRefused() throws IOException {
    Path file = write("{ioThreads: 1, ioThreads: 2}");
    assertThatThrownBy(() -> GtmConfig.read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("ioThreads");
  }

  @Test
  void whatIsNotSetHasItsDefault() throws Exception {
    GtmConfig read =
        GtmConfig.read(
            write("{durability: ALL, metrics: '[::1]:9187', limits: {sequencesMax: 7}}"));
    assertThat(read.durability()).isEqualTo(DurabilityMode.ALL);
    assertThat(read.metrics()).isEqualTo(new HostPort("::1", 9187));
    assertThat(read.limits().sequencesMax()).isEqualTo(7);
    assertThat(read.limits().nodesMax()).isEqualTo(GtmConfig.DEFAULTS.limits().nodesMax());
    assertThat(read.listen()).isEqualTo(GtmConfig.DEFAULTS.listen());
    assertThat(GtmConfig.read(write("# nothing"))).isEqualTo(GtmConfig.DEFAULTS);
  }
}

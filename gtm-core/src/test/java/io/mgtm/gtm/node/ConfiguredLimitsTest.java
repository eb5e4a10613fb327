package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.ConfigException;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.wire.xc12.FrameLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that the configuration admits must be values that the server can work with. */
class ConfiguredLimitsTest {
  private static final int READ_BYTES = 8 * 1024;

  @TempDir Path folder;

  private GtmConfig read(String yaml) throws IOException, ConfigException {
    Path file = Files.writeString(folder.resolve("gtm.yaml"), yaml);
    return GtmConfig.read(file).validated();
  }

  @Test
  void whatOneReadBringsFitsALogEntryWithTheLargestFrame() throws Exception {
    GtmConfig config = read("limits:\n  frameBytesMax: 98304\n");
    int bytes = config.limits().frameBytesMax() + READ_BYTES;
    assertThat(2 * bytes + EntryWriter.HEADER_BYTES).isLessThan(EntryWriter.ENTRY_BYTES_MAX);
    assertThatThrownBy(() -> read("limits:\n  frameBytesMax: 98305\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessage("limits.frameBytesMax: 98305 is not allowed, expected 40960 to 98304");
  }

  @Test
  void theLargestGroupFitsTheSmallestFrame() {
    int group = FrameLimits.HEADER_BYTES + 2 + 4 + 4 + FrameLimits.GROUP_MAX * 9;
    assertThat(group).isLessThanOrEqualTo(40 * 1024);
    assertThatThrownBy(() -> read("limits:\n  frameBytesMax: 40959\n"))
        .isInstanceOf(ConfigException.class);
  }

  @Test
  void logFilesAreOfASizeThatTheLogCanUse() throws Exception {
    assertThat(read("log:\n  segmentBytes: 1048584\n").log().segmentBytes()).isEqualTo(1_048_584);
    assertThatThrownBy(() -> read("log:\n  segmentBytes: 1048577\n"))
        .isInstanceOf(ConfigException.class)
        .hasMessage("log.segmentBytes: 1048577 is not allowed, expected a multiple of 8");
  }
}

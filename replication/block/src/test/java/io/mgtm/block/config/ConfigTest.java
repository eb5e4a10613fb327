package io.mgtm.block.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.block.resync.RateLimiter;
import io.mgtm.block.store.IoMode;
import io.mgtm.block.volume.CoreTiming;
import io.mgtm.block.volume.LinkConfig;
import io.mgtm.block.volume.LinkMode;
import io.mgtm.block.wire.Endpoint;
import io.mgtm.common.TlsFiles;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigTest {
  @ParameterizedTest
  @CsvSource({
    "512,512",
    "64K,65536",
    "64k,65536",
    "10M,10485760",
    "1G,1073741824",
    "2T,2199023255552",
    "0,0"
  })
  void sizesAreReadInPowersOf1024(String text, long bytes) {
    assertThat(Size.parse(text).bytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "K", "-1", "1.5G", "1P", "9999999999999T", "1 G"})
  void sizesThatCannotBeReadAreRefused(String text) {
    assertThatThrownBy(() -> Size.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a size");
  }

  @Test
  void endpointsAreReadAndWritten() {
    assertThat(Endpoint.parse("unix:/run/x").path()).isEqualTo("/run/x");
    assertThat(Endpoint.parse("10.0.0.1:7000"))
        .isEqualTo(new Endpoint("10.0.0.1", 7000, null, false));
    assertThat(Endpoint.parse("[::1]:7000").host()).isEqualTo("::1");
    assertThat(Endpoint.parse("[::1]:7000")).hasToString("[::1]:7000");
    assertThat(Endpoint.parse(":7000").host()).isEqualTo("0.0.0.0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "host:", "host:70000", "host:-1", "host:x", "unix:"})
  void endpointsThatCannotBeReadAreRefused(String text) {
    assertThatThrownBy(() -> Endpoint.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSocketPathLongerThanTheSystemAllowsIsRefused() {
    assertThatThrownBy(() -> Endpoint.parse("unix:/" + "x".repeat(107)))
        .hasMessageContaining("107");
  }

  private static VolumeConfig config(String name, long size, int chunk, long timeout) {
    return config(name, size, chunk, timeout, new TlsFiles("--tls-", null, null, null), null);
  }

  private static VolumeConfig config(
      String name, long size, int chunk, long timeout, TlsFiles tls, Path psk) {
    return new VolumeConfig(
        name,
        Path.of("f"),
        size,
        chunk,
        Path.of("m"),
        Path.of("m"),
        List.of(),
        List.of(),
        null,
        false,
        null,
        timeout,
        0,
        false,
        CoreTiming.DEFAULT,
        tls,
        psk,
        tls,
        null,
        IoMode.CACHE,
        VolumeConfig.CLIENTS_DEFAULT,
        null);
  }

  @Test
  void badValuesAreRefusedWithWhatIsAllowed() {
    assertThatThrownBy(() -> config("../x", 512, 65_536, 5000))
        .hasMessageContaining("letters, digits");
    assertThatThrownBy(() -> config("v", 513, 65_536, 5000))
        .hasMessageContaining("multiple of 512");
    assertThatThrownBy(() -> config("v", 512, 65_537, 5000)).hasMessageContaining("power of two");
    assertThatThrownBy(() -> config("v", 512, 32_768, 5000)).hasMessageContaining("64K to 4M");
    assertThatThrownBy(() -> config("v", 512, 8 << 20, 5000)).hasMessageContaining("64K to 4M");
    assertThatThrownBy(() -> config("v", 512, 65_536, 1)).hasMessageContaining("100 ms");
  }

  private static LinkConfig link(LinkMode mode, long high, long low, boolean bitmap) {
    return new LinkConfig("l", mode, high, low, bitmap, false, 1, 1, RateLimiter.UNLIMITED);
  }

  @Test
  void linksThatCouldNotWorkAreRefused() {
    assertThatThrownBy(() -> link(LinkMode.SYNC, 10, 10, false))
        .hasMessageContaining("below high water");
    assertThatThrownBy(() -> link(LinkMode.SYNC, 10, 5, true))
        .hasMessageContaining("only an async link");
    assertThat(link(LinkMode.ASYNC, 10, 5, true).fallBackToBitmap()).isTrue();
  }

  @Test
  void halfATlsConfigurationIsRefused() {
    Path file = Path.of("f.pem");
    TlsFiles trust = new TlsFiles("--tls-", null, null, file);
    assertThatThrownBy(() -> config("v", 512, 65_536, 5000, trust, null))
        .hasMessage("--tls-trust f.pem needs --tls-certificate");
    TlsFiles pair = new TlsFiles("--tls-", file, file, null);
    assertThatThrownBy(() -> config("v", 512, 65_536, 5000, pair, file))
        .hasMessageContaining("either certificates or pre-shared keys");
    assertThat(config("v", 512, 65_536, 5000, pair, null).nbdTls()).isEqualTo(pair);
  }
}

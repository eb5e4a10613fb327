package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TlsFilesTest {
  private static final Path MISSING = Path.of("/missing/file.pem");

  @Test
  void halfAPairIsRefused() {
    assertThatThrownBy(() -> new TlsFiles("links.", MISSING, null, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("links.certificate and links.key are set together, or neither is");
    assertThatThrownBy(() -> new TlsFiles("--", null, MISSING, null))
        .hasMessage("--certificate and --key are set together, or neither is");
  }

  @Test
  void filesThatCannotBeUsedAreNamedWithTheirSettings() {
    assertThatThrownBy(() -> new TlsFiles("--tls-", MISSING, MISSING, null).server("TLSv1.3"))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "cannot read --tls-certificate " + MISSING + ": there is no such file or folder");
    assertThatThrownBy(() -> new TlsFiles("tls.", null, null, MISSING).client("TLSv1.3"))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot read tls.trust " + MISSING + ": there is no such file or folder");
  }

  @Test
  void aClientNeedsNoFiles() throws Exception {
    assertThat(new TlsFiles("--", null, null, null).client("TLSv1.3").isClient()).isTrue();
  }
}

package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsFilesTest {
  private static final Path MISSING = Path.of("/missing/file.pem");

  @TempDir private Path folder;

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
  void filesThatAreExchangedAreTold() throws IOException {
    Path certificate = pem("CERTIFICATE", "");
    Path key = pem("EC PRIVATE KEY", "");
    assertThatThrownBy(() -> new TlsFiles("tls.", key, certificate, null).server("TLSv1.3"))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "cannot use tls.certificate %s: it holds a private key and no certificate; exchange the files, or name another one",
            key);
    assertThatThrownBy(() -> new TlsFiles("--", certificate, certificate, null).client("TLSv1.3"))
        .hasMessageContaining("--key " + certificate + ": it holds a certificate and no private");
    assertThatThrownBy(() -> new TlsFiles("tls.", null, null, key).client("TLSv1.3"))
        .hasMessageContaining("tls.trust " + key + ": it holds a private key and no certificate");
  }

  @ParameterizedTest
  @CsvSource({"ENCRYPTED PRIVATE KEY, ''", "RSA PRIVATE KEY, 'Proc-Type: 4,ENCRYPTED'"})
  void encryptedKeyIsToldHowToBeWrittenInTheClear(String kind, String header) throws IOException {
    Path certificate = pem("CERTIFICATE", "");
    Path key = pem(kind, header);
    assertThatThrownBy(() -> new TlsFiles("tls.", certificate, key, null).server("TLSv1.3"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot use tls.key " + key + ": the key is encrypted with a pass")
        .hasMessageContaining("openssl pkey -in " + key);
  }

  private Path pem(String kind, String header) throws IOException {
    return Files.writeString(
        folder.resolve(kind + ".pem"),
        "-----BEGIN %1$s-----\n%2$s\nAA==\n-----END %1$s-----\n".formatted(kind, header));
  }

  @Test
  void aClientNeedsNoFiles() throws Exception {
    assertThat(new TlsFiles("--", null, null, null).client("TLSv1.3").isClient()).isTrue();
  }
}

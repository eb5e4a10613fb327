package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS for NBD clients, by certificates and by pre-shared keys, and for links. */
class TlsIT {
  @TempDir Path folder;
  private VolumeProcess left;
  private VolumeProcess right;

  @BeforeEach
  void need() {
    Tools.need("openssl", "nbdinfo", "nbdcopy");
  }

  @AfterEach
  void close() {
    for (VolumeProcess volume : Arrays.asList(left, right)) {
      if (volume != null) {
        volume.close();
      }
    }
  }

  private Tools.Result run(String script) throws Exception {
    return Tools.run(folder, "bash", "-c", script);
  }

  /** An authority, and a certificate of it under the names that libnbd looks for. */
  private void makeCertificates(String where) throws Exception {
    run("mkdir "
            + where
            + " && cd "
            + where
            + " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
            + " -subj '/CN=test authority' -keyout ca.key -out ca-cert.pem"
            + " && openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
            + " -subj /CN=localhost -keyout key.pem -out request.pem"
            + " && printf 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:"
            + OwnAddress.HOST
            + "' > names"
            + " && openssl x509 -req -in request.pem -CA ca-cert.pem -CAkey ca.key -CAcreateserial"
            + " -days 2 -extfile names -out cert.pem"
            + " && cp cert.pem client-cert.pem && cp key.pem client-key.pem")
        .succeeded();
  }

  private String at(String where, String file) {
    return folder.resolve(where).resolve(file).toString();
  }

  private VolumeProcess served(String... options) throws Exception {
    left =
        new VolumeProcess(folder, "left", 0).listening().with("--size", "8M").with(options).start();
    return left;
  }

  private void copyThereAndBack(String uri) throws Exception {
    run("head -c 8388608 /dev/urandom > image && nbdcopy image '"
            + uri
            + "' && nbdcopy '"
            + uri
            + "' back && cmp image back")
        .succeeded();
    assertThat(Files.mismatch(folder.resolve("image"), left.file())).isEqualTo(-1);
  }

  @Test
  @Tag("long")
  void clientsComeByCertificatesAndNotWithout() throws Exception {
    makeCertificates("good");
    makeCertificates("foreign");
    served(
        "--tls-certificate", at("good", "cert.pem"),
        "--tls-key", at("good", "key.pem"),
        "--tls-trust", at("good", "ca-cert.pem"));
    String uri = "nbds+unix://localhost/v1?socket=" + left.socket() + "&tls-certificates=";
    copyThereAndBack(uri + folder.resolve("good"));
    assertThat(run("nbdinfo '" + uri + folder.resolve("foreign") + "'").code()).isNotZero();
    assertThat(run("timeout 15 nbdinfo '" + left.uri() + "'").code())
        .as("refused, and at once rather than by the end of patience")
        .isNotIn(0, 124);
  }

  @Test
  @Tag("long")
  void clientsComeByPreSharedKeysAndNotWithAnother() throws Exception {
    String key = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    Files.writeString(folder.resolve("keys.psk"), "# clients\nalice:" + key + "\n");
    Files.writeString(folder.resolve("wrong.psk"), "alice:" + key.replace('0', '1') + "\n");
    served("--tls-psk", folder.resolve("keys.psk").toString());
    String uri = "nbds+unix://alice@/v1?socket=" + left.socket() + "&tls-psk-file=";
    copyThereAndBack(uri + folder.resolve("keys.psk"));
    assertThat(run("nbdinfo '" + uri + folder.resolve("wrong.psk") + "'").code()).isNotZero();
    assertThat(run("nbdinfo '" + left.uri() + "'").code()).isNotZero();
    assertThat(run("nbdinfo '" + uri + folder.resolve("keys.psk") + "'").code()).isZero();
  }

  @Test
  void linksComeByCertificatesAndNotWithout() throws Exception {
    makeCertificates("good");
    String[] tls = {
      "--link-tls-cert", at("good", "cert.pem"),
      "--link-tls-key", at("good", "key.pem"),
      "--link-tls-ca", at("good", "ca-cert.pem")
    };
    right =
        new VolumeProcess(folder, "right", OwnAddress.port())
            .receiving()
            .with("--size", "8M")
            .with(tls)
            .start();
    left =
        new VolumeProcess(folder, "left", 0)
            .listening()
            .with("--size", "8M", "--compress", "zstd")
            .replica(right, "sync")
            .with(tls)
            .start();
    left.awaitUpToDate();
    run("head -c 8388608 /dev/urandom > image && nbdcopy image '" + left.uri() + "'").succeeded();
    assertThat(Files.mismatch(left.file(), right.file())).isEqualTo(-1);

    VolumeProcess plain = new VolumeProcess(folder, "plain", 0).listening().with("--size", "8M");
    try (VolumeProcess stranger = plain.replica(right, "sync").start()) {
      Await.until(
          "the stranger is refused",
          () -> Files.readString(right.log()).contains("it speaks in the clear"));
      Await.until(
          "the stranger hears of it",
          () -> stranger.link(0).path("reason").asText().contains("closed the connection"));
      assertThat(stranger.isUpToDate()).isFalse();
    }
    assertThat(left.isUpToDate()).isTrue();
  }
}

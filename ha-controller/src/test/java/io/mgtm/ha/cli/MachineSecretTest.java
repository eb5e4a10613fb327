package io.mgtm.ha.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.api.OperatorToken;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineSecretTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir private Path folder;

  private Map<String, String> proof(String to, String more) throws IOException {
    Path secret = Files.writeString(folder.resolve("ha.secret"), SECRET + "\n");
    Path file = folder.resolve("ha.yaml");
    Files.writeString(
        file,
        """
        cluster: shop
        secretFile: %s
        nodes:
          db1: {addresses: [10.0.0.1]}
          db2: {addresses: [10.0.0.2], ports: {api: 8000}}
          w: {addresses: [10.0.0.3], witness: true}
        hierarchies: {}
        """
                .formatted(secret)
            + more);
    return new MachineSecret(file).proof(URI.create(to));
  }

  @Test
  void isShownToControllersOfTheClusterAlone() throws IOException {
    assertThat(proof("http://10.0.0.2:8000/v1/status", ""))
        .containsExactly(Map.entry("Authorization", "Bearer " + OperatorToken.of(SECRET)));
    assertThat(proof("http://10.0.0.1:7902/", "")).isNotEmpty();
    assertThat(proof("http://10.0.0.2:7902/", "")).isEmpty();
    assertThat(proof("http://10.0.0.9:7902/", "")).isEmpty();
  }

  @Test
  void isNotShownInTheClearWhereControllersSpeakTls() throws IOException {
    String tls = "tls: {certificate: /a.crt, key: /a.key}\n";

    assertThat(proof("http://10.0.0.1:7902/", tls)).isEmpty();
    assertThat(proof("https://10.0.0.1:7902/", tls)).isNotEmpty();
  }

  @Test
  void nothingIsShownWhereNothingCanBeRead() throws IOException {
    assertThat(proof("http://10.0.0.1:7902/", "nonsense: 1\n")).isEmpty();
    assertThat(new MachineSecret(folder.resolve("none")).proof(URI.create("http://10.0.0.1:7902/")))
        .isEmpty();
  }
}

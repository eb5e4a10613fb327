package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupTlsTest {
  @TempDir private Path folder;

  private void refused(String password, String why) {
    Path file = folder.resolve("g1.p12");
    assertThatThrownBy(() -> GroupTls.of(new JGroupsSettings.Tls(file, password)))
        .isInstanceOf(LogException.class)
        .hasMessageStartingWith("The key store " + file + " cannot be used: " + why);
  }

  @Test
  void aKeyStoreThatCannotBeUsedIsNamedWithTheReason() throws Exception {
    refused("password", "there is no such file or folder");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (OutputStream out = Files.newOutputStream(folder.resolve("g1.p12"))) {
      store.store(out, "password".toCharArray());
    }
    refused("password", "it has no key with its certificate");
    refused("another", "its password is another one");
    Files.writeString(folder.resolve("g1.p12"), "no key store");
    refused("password", "it is no PKCS #12 file, or is damaged");
  }
}

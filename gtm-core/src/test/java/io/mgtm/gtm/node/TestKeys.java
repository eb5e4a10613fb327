package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A key and its own certificate for 127.0.0.1, in PEM files, made with the JDK's keytool.
 *
 * @param certificate which is its own authority
 */
record TestKeys(Path certificate, Path key) {
  private static final String PASSWORD = "change it";
  private static final String ALIAS = "node";

  static TestKeys in(Path folder) throws Exception {
    Path store = folder.resolve("keys.p12");
    int made =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    ALIAS,
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=node",
                    "-ext",
                    "san=ip:127.0.0.1",
                    "-storetype",
                    "PKCS12",
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    assertThat(made).as("keytool").isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream from = Files.newInputStream(store)) {
      keys.load(from, PASSWORD.toCharArray());
    }
    return new TestKeys(
        pem(folder, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()),
        pem(folder, "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
  }

  private static Path pem(Path folder, String what, byte[] bytes) throws Exception {
    String text =
        "-----BEGIN %s-----%n%s%n-----END %s-----%n"
            .formatted(what, Base64.getMimeEncoder().encodeToString(bytes), what);
    return Files.writeString(folder.resolve(what.replace(' ', '-') + ".pem"), text);
  }
}

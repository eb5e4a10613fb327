package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate that signs itself, made by the JDK's keytool, and its key, as PEM files.
 *
 * @param certificate which is its own authority
 */
public record TestKeys(Path certificate, Path key) {
  private static final String PASSWORD = "change it";

  /**
   * Makes them.
   *
   * @param name the subject's common name, and that of the files
   * @param address what the certificate is for
   */
  public static TestKeys make(Path folder, String name, String address) throws Exception {
    Path store = folder.resolve(name + ".p12");
    int made =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    name,
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=" + name + ",O=orders",
                    "-ext",
                    "san=ip:" + address + ",dns:localhost",
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
        pem(folder.resolve(name + ".crt"), "CERTIFICATE", keys.getCertificate(name).getEncoded()),
        pem(
            folder.resolve(name + ".key"),
            "PRIVATE KEY",
            keys.getKey(name, PASSWORD.toCharArray()).getEncoded()));
  }

  private static Path pem(Path file, String what, byte[] bytes) throws Exception {
    return Files.writeString(
        file,
        "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n"
            .formatted(what, Base64.getMimeEncoder().encodeToString(bytes)));
  }
}

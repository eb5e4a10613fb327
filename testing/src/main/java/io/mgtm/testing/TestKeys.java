package io.mgtm.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A key and a certificate that signs itself, made by the JDK's keytool. Any thread.
 *
 * @param store a PKCS #12 key store with both, opened by {@link #PASSWORD}
 * @param certificate as PEM; it is its own authority
 * @param key as PEM, not encrypted
 */
public record TestKeys(Path store, Path certificate, Path key) {
  public static final String PASSWORD = "change it";

  private static final int LINE_CHARS = 64;

  /**
   * Makes them.
   *
   * @param name the subject's common name, beside the organization {@code orders}, and that of the
   *     files
   * @param address what the certificate is for, beside {@code localhost}
   * @throws IOException when keytool fails
   */
  public static TestKeys make(Path folder, String name, String address)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    int status =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-J-XX:+UseSerialGC",
                    "-J-XX:TieredStopAtLevel=1",
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
    if (status != 0) {
      throw new IOException("keytool ended with status " + status);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream from = Files.newInputStream(store)) {
      keys.load(from, PASSWORD.toCharArray());
    }
    byte[] certificate = keys.getCertificate(name).getEncoded();
    byte[] key = keys.getKey(name, PASSWORD.toCharArray()).getEncoded();
    return new TestKeys(
        store,
        pem(folder.resolve(name + ".crt"), "CERTIFICATE", certificate),
        pem(folder.resolve(name + ".key"), "PRIVATE KEY", key));
  }

  private static Path pem(Path file, String what, byte[] bytes) throws IOException {
    Base64.Encoder lines =
        Base64.getMimeEncoder(LINE_CHARS, "\n".getBytes(StandardCharsets.US_ASCII));
    return Files.writeString(
        file,
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
            .formatted(what, lines.encodeToString(bytes)));
  }
}

package io.mgtm.query.server;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** A certificate that signs itself, made by the JDK's keytool, and its key, as PEM files. */
record TestKeys(Path certificate, Path key) {
  private static final String PASSWORD = "changeit";

  static TestKeys make(Path folder, String name, String address) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Tools.run(
            folder,
            Map.of(),
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=ip:" + address,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString()))
        .succeeded();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new TestKeys(
        pem(folder, name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded()),
        pem(
            folder,
            name + ".key",
            "PRIVATE KEY",
            keys.getKey(name, PASSWORD.toCharArray()).getEncoded()));
  }

  private static Path pem(Path folder, String file, String type, byte[] bytes) throws Exception {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    return Files.writeString(
        folder.resolve(file),
        "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
  }
}

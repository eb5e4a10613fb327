package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

/** Makes key stores for tests with the JDK's keytool. */
public final class TestKeys {
  private static final String PASSWORD = "change it";

  private TestKeys() {}

  /** A file with a key and its certificate, which is trusted too. */
  public static JGroupsSettings.Tls in(Path folder) throws Exception {
    Path file = folder.resolve("keys.p12");
    int made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "member",
                "-keyalg",
                "EC",
                "-dname",
                "CN=member",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    assertThat(made).as("keytool").isZero();
    return new JGroupsSettings.Tls(file, PASSWORD);
  }
}

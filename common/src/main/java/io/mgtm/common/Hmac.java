package io.mgtm.common;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA-256 in hexadecimal digits. Any thread. */
public final class Hmac {
  private static final String MAC = "HmacSHA256";

  private Hmac() {}

  public static String hex(String secret, String text) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), MAC));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + MAC, e);
    }
  }
}

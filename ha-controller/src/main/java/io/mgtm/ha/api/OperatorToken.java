package io.mgtm.ha.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What proves to a controller that who asks knows the cluster's secret: HMAC-SHA-256 of the secret
 * over the purpose, in hexadecimal digits. The secret itself, which seals what nodes tell each
 * other, does not go over the network.
 */
public final class OperatorToken {
  private static final String MAC = "HmacSHA256";

  private OperatorToken() {}

  /** The token of a secret. Any thread. */
  public static String of(String secret) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), MAC));
      return HexFormat.of().formatHex(mac.doFinal("mgtm ha operators".getBytes(UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + MAC, e);
    }
  }
}

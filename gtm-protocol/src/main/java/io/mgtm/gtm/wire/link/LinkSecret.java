package io.mgtm.gtm.wire.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The secret that nodes and gateways share; it never crosses the link. Any thread. */
public final class LinkSecret {
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  /**
   * A secret.
   *
   * @throws IllegalArgumentException when it is empty
   */
  public LinkSecret(String secret) {
    key = new SecretKeySpec(secret.getBytes(UTF_8), ALGORITHM);
  }

  /** The answer to a challenge: the HMAC over the nonce and the gateway's name. */
  public byte[] answer(byte[] nonce, String name) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(nonce);
      return mac.doFinal(name.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + ALGORITHM, e);
    }
  }

  /** Whether an answer is right; takes as long for a wrong one. */
  public boolean accepts(byte[] nonce, String name, byte[] answer) {
    return MessageDigest.isEqual(answer(nonce, name), answer);
  }
}

package io.mgtm.query.scram;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** The arithmetic of SCRAM-SHA-256, named as in RFC 5802. */
public final class Scram {
  /** The mechanism without channel binding, and with. */
  public static final String MECHANISM = "SCRAM-SHA-256";

  public static final String MECHANISM_PLUS = "SCRAM-SHA-256-PLUS";

  static final int KEY_BYTES = 32;
  private static final int NONCE_BYTES = 18;
  private static final SecureRandom RANDOM = new SecureRandom();

  private Scram() {}

  static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every Java has HmacSHA256", e);
    }
  }

  static byte[] hash(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static byte[] xor(byte[] a, byte[] b) {
    byte[] out = new byte[a.length];
    for (int i = 0; i < out.length; i++) {
      out[i] = (byte) (a[i] ^ b[i]);
    }
    return out;
  }

  /** Hi(Normalize(password), salt, iterations). */
  static byte[] saltedPassword(String password, byte[] salt, int iterations) {
    try {
      String normal = Normalizer.normalize(password, Normalizer.Form.NFKC);
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
          .generateSecret(
              new PBEKeySpec(normal.toCharArray(), salt, iterations, KEY_BYTES * Byte.SIZE))
          .getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has PBKDF2WithHmacSHA256", e);
    }
  }

  static String nonce() {
    byte[] bytes = new byte[NONCE_BYTES];
    RANDOM.nextBytes(bytes);
    return base64(bytes);
  }

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  static byte[] unbase64(String text) throws ScramException {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw malformed("malformed SCRAM message: no base64");
    }
  }

  /** The value of the attribute that a message must have in this place. */
  static String attribute(String[] message, int at, char name) throws ScramException {
    if (at >= message.length || !message[at].startsWith(name + "=")) {
      throw malformed("malformed SCRAM message: attribute \"" + name + "\" is missing");
    }
    return message[at].substring(2);
  }

  static ScramException malformed(String message) {
    return new ScramException(ScramException.Reason.MALFORMED, message);
  }

  static ScramException refused(String message) {
    return new ScramException(ScramException.Reason.REFUSED, message);
  }
}

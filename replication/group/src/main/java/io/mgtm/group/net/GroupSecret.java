package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.mgtm.common.FileErrors;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jgroups.Address;
import org.jgroups.util.UUID;

/**
 * A secret that all members of a group share, and the keys that are derived from it: HMAC-SHA-256
 * of the secret over the purpose. Any thread.
 */
public final class GroupSecret {
  private static final int BYTES_MIN = 32;
  private static final int BYTES_MAX = 4_096;
  private static final int FINGERPRINT_BYTES = 8;
  private static final String MAC = "HmacSHA256";

  private final byte[] encryptionKey;
  private final byte[] joinKey;
  private final String fingerprint;

  private GroupSecret(byte[] secret) {
    encryptionKey = mac(secret, "mgtm group encryption".getBytes(US_ASCII));
    joinKey = mac(secret, "mgtm group join".getBytes(US_ASCII));
    byte[] print = mac(secret, "mgtm group fingerprint".getBytes(US_ASCII));
    fingerprint = HexFormat.of().formatHex(print, 0, FINGERPRINT_BYTES);
  }

  /**
   * Reads the secret: all of a file but white space around it, drawn at random, for example by
   * {@code openssl rand -hex 32}.
   *
   * @throws LogException with ACCESS when the file cannot be read, or is too short to be a secret
   */
  public static GroupSecret read(Path file) {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw unfit(file);
      }
      byte[] secret = Files.readString(file, US_ASCII).strip().getBytes(US_ASCII);
      if (secret.length < BYTES_MIN) {
        throw unfit(file);
      }
      return new GroupSecret(secret);
    } catch (IOException e) {
      throw new LogException(
          Category.ACCESS,
          "The group's secret cannot be read from %s: %s; give this user read access"
              .formatted(file, FileErrors.reason(e)),
          e);
    }
  }

  private static LogException unfit(Path file) {
    return new LogException(
        Category.ACCESS,
        "%s is no secret: from %d to %d characters are allowed; draw one with openssl rand -hex 32"
            .formatted(file, BYTES_MIN, BYTES_MAX));
  }

  private static byte[] mac(byte[] key, byte[] of) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      return mac.doFinal(of);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + MAC, e);
    }
  }

  /** The key of the messages' payload, under the name of a transformation. */
  SecretKeySpec encryptionKey(String transformation) {
    return new SecretKeySpec(encryptionKey, transformation);
  }

  /** What proves that the process of an address knows the secret. */
  byte[] proofOf(Address member) {
    UUID id = (UUID) member;
    ByteBuffer bytes = ByteBuffer.allocate(16);
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    return mac(joinKey, bytes.array());
  }

  /** What tells whether others have the same secret, and nothing else of it. */
  String fingerprint() {
    return fingerprint;
  }

  @Override
  public String toString() {
    return "GroupSecret";
  }
}

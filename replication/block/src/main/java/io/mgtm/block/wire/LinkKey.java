package io.mgtm.block.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that all copies of a volume share, by which the two ends of a link prove to each other
 * that they belong together: HMAC-SHA256 over both ends' random numbers. A file holds it as one
 * line of hexadecimal digits.
 */
public final class LinkKey {
  /** The length of a proof. */
  public static final int PROOF_BYTES = 32;

  private static final int KEY_BYTES = 32;
  private static final int KEY_BYTES_MAX = 64;
  private static final int FILE_BYTES_MAX = 1024;
  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] secret;

  private LinkKey(byte[] secret) {
    this.secret = secret;
  }

  /** A new key of 32 random bytes. */
  public static LinkKey random() {
    byte[] secret = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(secret);
    return new LinkKey(secret);
  }

  /**
   * Reads a key's file.
   *
   * @throws IOException that says what is wanted when the file holds something else
   */
  public static LinkKey read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException(file + ", the file of the links' key, is not there or cannot be read");
    }
    if (Files.size(file) > FILE_BYTES_MAX) {
      throw new IOException(file + " is too long for a link's key");
    }
    return parse(Files.readString(file, StandardCharsets.US_ASCII), file.toString());
  }

  /** Reads a key from {@code text}, which came from {@code where}. */
  public static LinkKey parse(String text, String where) throws IOException {
    byte[] secret;
    try {
      secret = HexFormat.of().parseHex(text.strip());
    } catch (IllegalArgumentException e) {
      secret = new byte[0];
    }
    if (secret.length < KEY_BYTES || secret.length > KEY_BYTES_MAX) {
      throw new IOException(
          where
              + " holds no link key: 64 to 128 hexadecimal digits on one line are wanted, as 'mgtm"
              + " volume create' shows them");
    }
    return new LinkKey(secret);
  }

  /** Writes the key to a new file that only its owner may read. */
  public void write(Path file) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(file, toHex() + "\n", StandardCharsets.US_ASCII, StandardOpenOption.DSYNC);
    } catch (IOException e) {
      Files.delete(file);
      throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }

  /** The key's digits. */
  public String toHex() {
    return HexFormat.of().formatHex(secret);
  }

  /** Whether the two are the same, in constant time. */
  public boolean isSame(LinkKey other) {
    return MessageDigest.isEqual(secret, other.secret);
  }

  /** What only a holder of the key can say about {@code parts}, as {@code who}. */
  public byte[] proof(String who, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      mac.update(("mgtm volume link 2 " + who + "\0").getBytes(StandardCharsets.US_ASCII));
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("this Java has no HMAC-SHA256", e);
    }
  }
}

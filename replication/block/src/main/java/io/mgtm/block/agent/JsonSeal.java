package io.mgtm.block.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * The checksum of a metadata file of JSON, which stays JSON: the object's last property, with the
 * CRC32C of all bytes before it.
 *
 * <pre>
 * {
 *   ...,
 *   "crc32c" : "0123abcd"
 * }
 * </pre>
 *
 * <p>A file that was cut, or in which a bit turned, fails it. Thread-safe.
 */
final class JsonSeal {
  private static final String BEFORE = ",\n  \"crc32c\" : \"";
  private static final String AFTER = "\"\n}\n";
  private static final int DIGITS = 8;
  private static final int SEAL_BYTES = BEFORE.length() + DIGITS + AFTER.length();

  private JsonSeal() {}

  /** An object's bytes with the seal. */
  static byte[] seal(byte[] json) {
    String text = new String(json, StandardCharsets.UTF_8).stripTrailing();
    if (!text.endsWith("}")) {
      throw new IllegalArgumentException("not an object: " + text);
    }
    String body = text.substring(0, text.length() - 1).stripTrailing();
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    return (body + BEFORE + sum(bytes, bytes.length) + AFTER).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The object without its seal, which was checked; a file without one, of an older version, as it
   * is.
   *
   * @throws IOException when the seal does not fit the bytes
   */
  static byte[] open(byte[] file) throws IOException {
    int body = file.length - SEAL_BYTES;
    String seal = body < 0 ? "" : new String(file, body, SEAL_BYTES, StandardCharsets.ISO_8859_1);
    if (!seal.startsWith(BEFORE) || !seal.endsWith(AFTER)) {
      if (new String(file, StandardCharsets.ISO_8859_1).contains("\"crc32c\"")) {
        throw new IOException("its end is not as it was written");
      }
      return file;
    }
    if (!seal.substring(BEFORE.length(), BEFORE.length() + DIGITS).equals(sum(file, body))) {
      throw new IOException("it fails its checksum");
    }
    byte[] json = Arrays.copyOf(file, body + 1);
    json[body] = '}';
    return json;
  }

  /** Whether a file has a seal, good or bad. */
  static boolean isSealed(byte[] file) {
    return file.length >= SEAL_BYTES
        && new String(file, file.length - SEAL_BYTES, SEAL_BYTES, StandardCharsets.ISO_8859_1)
            .startsWith(BEFORE);
  }

  private static String sum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }
}

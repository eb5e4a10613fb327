package io.mgtm.block.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * Pre-shared keys, a line {@code IDENTITY:HEXKEY} each, as GnuTLS's psktool writes them; empty
 * lines and lines that begin with {@code #} do not count.
 */
final class PskKeys {
  private static final long FILE_BYTES_MAX = 1 << 20;
  private static final int KEY_BYTES_MIN = 16;
  private static final int KEY_BYTES_MAX = 64;

  private final Map<String, byte[]> keys;

  private PskKeys(Map<String, byte[]> keys) {
    this.keys = keys;
  }

  /**
   * Reads the file.
   *
   * @throws IOException that names the line when it is not of that form, or a key is shorter than
   *     16 or longer than 64 bytes
   */
  static PskKeys read(Path file) throws IOException {
    if (Files.size(file) > FILE_BYTES_MAX) {
      throw new IOException(file + " is longer than a file of keys may be, " + FILE_BYTES_MAX);
    }
    Map<String, byte[]> keys = new HashMap<>();
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      int colon = line.lastIndexOf(':');
      byte[] key = colon < 1 ? null : parse(line.substring(colon + 1).strip());
      if (key == null || key.length < KEY_BYTES_MIN || key.length > KEY_BYTES_MAX) {
        throw new IOException(
            file + ", line " + number + ": IDENTITY:HEXKEY with a key of 16 to 64 bytes is wanted");
      }
      keys.put(line.substring(0, colon), key);
    }
    if (keys.isEmpty()) {
      throw new IOException(file + " holds no key; make one by psktool -u NAME -p " + file);
    }
    return new PskKeys(keys);
  }

  private static byte[] parse(String hex) {
    try {
      return HexFormat.of().parseHex(hex);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** A copy of the key of {@code identity}, or null. */
  byte[] keyOf(byte[] identity) {
    byte[] key = keys.get(new String(identity, StandardCharsets.UTF_8));
    return key == null ? null : key.clone();
  }
}

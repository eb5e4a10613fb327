package io.mgtm.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Files whose first line is a secret. Any thread. */
public final class SecretFile {
  /** Fewer can be guessed: who asks is only slowed down by the network. */
  private static final int CHARACTERS_MIN = 16;

  private static final Set<PosixFilePermission> OWNERS =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private SecretFile() {}

  /**
   * A secret that somebody else has chosen, such as a key store's password.
   *
   * @param key what names the file: the configuration's key, or an option
   * @throws IOException when the file cannot be read, or has no first line
   */
  public static String firstLine(String key, Path file) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new IOException("cannot read %s %s: %s".formatted(key, file, FileErrors.reason(e)), e);
    }
    String secret = lines.isEmpty() ? "" : lines.get(0).strip();
    if (secret.isEmpty()) {
      throw new IOException(key + " " + file + " has an empty first line");
    }
    return secret;
  }

  /**
   * Whether anybody but its owner may read a file, or write to it.
   *
   * @throws IOException when that cannot be told
   */
  public static boolean isOpenToOthers(Path file) throws IOException {
    return !OWNERS.containsAll(Files.getPosixFilePermissions(file));
  }

  /**
   * A secret that opens links.
   *
   * @throws IOException as {@link #firstLine}, and when it is too short
   */
  public static String ofLinks(String key, Path file) throws IOException {
    String secret = firstLine(key, file);
    if (secret.length() < CHARACTERS_MIN) {
      throw new IOException(
          "%s %s: %d characters are not allowed, expected %d and more; draw a secret with openssl rand -hex 32"
              .formatted(key, file, secret.length(), CHARACTERS_MIN));
    }
    return secret;
  }
}

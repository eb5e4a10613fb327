package io.mgtm.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
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
    return lines(key, file).get(0);
  }

  private static List<String> lines(String key, Path file) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new IOException("cannot read %s %s: %s".formatted(key, file, FileErrors.reason(e)), e);
    }
    if (lines.isEmpty() || lines.get(0).isBlank()) {
      throw new IOException(key + " " + file + " has an empty first line");
    }
    return lines.stream().map(String::strip).toList();
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
    return longEnough(key + " " + file, firstLine(key, file));
  }

  /**
   * The secrets that open links where they are asked for: that of the first line, and where there
   * is a second line, that one too, so that a secret can be changed while all run.
   *
   * @throws IOException as {@link #ofLinks}, and when there are more lines
   */
  public static List<String> accepted(String key, Path file) throws IOException {
    List<String> lines = new ArrayList<>(lines(key, file));
    lines.subList(1, lines.size()).removeIf(String::isEmpty);
    if (lines.size() > 2) {
      throw new IOException(
          "%s %s has more than two lines; the first is the secret, and the second one that is accepted too"
              .formatted(key, file));
    }
    longEnough(key + " " + file, lines.get(0));
    if (lines.size() == 2) {
      longEnough("%s %s, line 2".formatted(key, file), lines.get(1));
    }
    return List.copyOf(lines);
  }

  private static String longEnough(String where, String secret) throws IOException {
    if (secret.length() < CHARACTERS_MIN) {
      throw new IOException(
          "%s: %d characters are not allowed, expected %d and more; draw a secret with openssl rand -hex 32"
              .formatted(where, secret.length(), CHARACTERS_MIN));
    }
    return secret;
  }
}

package io.mgtm.ha.api;

import io.mgtm.common.FileErrors;
import io.mgtm.common.SecretFile;
import io.mgtm.ha.model.Role;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The operators whose tokens a controller knows: a file with a line for each, its name, its role
 * and the SHA-256 of its token in hexadecimal digits. Tokens are drawn, so that a plain hash does.
 * The file is read each time, so that a line that is removed counts at once. Any thread.
 */
final class TokenFile {
  private static final int BYTES_MAX = 1 << 20;
  private static final Pattern LINE =
      Pattern.compile("([A-Za-z0-9][A-Za-z0-9_.@-]{0,62}) +(\\w+) +([0-9a-fA-F]{64})");

  /** A line of the file. */
  record Operator(String name, Role role, String sha256) {}

  private final Path file;

  private TokenFile(Path file) {
    this.file = file;
  }

  /**
   * Looks at a file once.
   *
   * @throws IOException when it cannot be read, others can read it, or a line is wrong
   */
  static TokenFile open(Path file) throws IOException {
    TokenFile tokens = new TokenFile(file);
    tokens.read();
    return tokens;
  }

  /**
   * The operator whose token it is.
   *
   * @throws IOException as {@link #open}: nobody is known then
   */
  Optional<Operator> of(String token) throws IOException {
    byte[] hash = hash(token);
    Operator found = null;
    for (Operator operator : read()) {
      if (MessageDigest.isEqual(HexFormat.of().parseHex(operator.sha256()), hash)) {
        found = operator;
      }
    }
    return Optional.ofNullable(found);
  }

  private List<Operator> read() throws IOException {
    List<String> lines;
    try {
      if (SecretFile.isOpenToOthers(file)) {
        throw new IOException(
            "access.tokenFile %1$s can be used by others; chmod 600 %1$s".formatted(file));
      }
      if (Files.size(file) > BYTES_MAX) {
        throw new IOException("access.tokenFile " + file + " is larger than 1 MiB");
      }
      lines = Files.readAllLines(file);
    } catch (FileSystemException | CharacterCodingException e) {
      throw new IOException(
          "cannot read access.tokenFile %s: %s".formatted(file, FileErrors.reason(e)), e);
    }
    List<Operator> operators = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      Operator operator = operator(i + 1, line);
      if (!names.add(operator.name())) {
        throw wrong(i + 1, "a second line for " + operator.name());
      }
      operators.add(operator);
    }
    return operators;
  }

  private Operator operator(int number, String line) throws IOException {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw wrong(number, "expected a name, a role and 64 hexadecimal digits");
    }
    for (Role role : Role.values()) {
      if (role.toString().equals(parts.group(2).toLowerCase(Locale.ROOT))) {
        return new Operator(parts.group(1), role, parts.group(3));
      }
    }
    throw wrong(number, parts.group(2) + " is no role, expected guest, operator or administrator");
  }

  private IOException wrong(int number, String what) {
    return new IOException("access.tokenFile %s: line %d: %s".formatted(file, number, what));
  }

  private static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no SHA-256", e);
    }
  }
}

package io.mgtm.query.sql;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells which CREATE, ALTER and DROP ROLE do the same at every server. A client enters all servers
 * by what one of them has of its password, so that all must have the same: one that a server is to
 * encrypt, with a salt of its own, is refused. Pure.
 */
final class RoleDdl {
  /** Said to who gives a password as it is. */
  static final String PLAIN = "each server would keep the password with a salt of its own";

  private static final Set<String> KINDS = Set.of("role", "user", "group");

  /**
   * Settings of later sessions are not compared as those of SET are; a name may be in use; and what
   * a role may do must not change between what it writes at the leader and the same elsewhere.
   */
  private static final Set<String> ALTER_REFUSED =
      Set.of(
          "add",
          "all",
          "bypassrls",
          "drop",
          "inherit",
          "nobypassrls",
          "noinherit",
          "nosuperuser",
          "rename",
          "reset",
          "set",
          "superuser");

  private static final Pattern ENCRYPTED =
      Pattern.compile(
          "'(SCRAM-SHA-256\\$[1-9][0-9]{0,8}:(%1$s{4})*(%1$s{4}|%1$s{3}=|%1$s{2}==)"
              .concat("\\$%1$s{43}=:%1$s{43}=|md5[0-9a-f]{32})'")
              .formatted("[A-Za-z0-9+/]"));

  private RoleDdl() {}

  static boolean isOne(List<Token> tokens) {
    return Token.isOneAt(tokens, 1, KINDS);
  }

  /** Why one of them may not do the same everywhere, or null when it does. */
  static String whyNot(String sql, List<Token> tokens) {
    if (Token.isWordAt(tokens, 2, "mapping")) {
      return "foreign servers are not replicated";
    }
    for (int i = 2; i < tokens.size(); i++) {
      Token next = Purity.next(tokens, i);
      boolean password = next != null && next.kind() == Token.Kind.STRING;
      if (password
          && tokens.get(i).isWord("password")
          && !ENCRYPTED.matcher(sql.substring(next.start(), next.end())).matches()) {
        return PLAIN;
      }
      if (tokens.get(0).isWord("alter") && Token.isOneAt(tokens, i, ALTER_REFUSED)) {
        return "it has the word " + tokens.get(i).text();
      }
    }
    return null;
  }
}

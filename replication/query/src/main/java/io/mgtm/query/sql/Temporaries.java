package io.mgtm.query.sql;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The temporary relations of a session, which are at the leader server alone: what names mean there
 * before they mean anything that all servers have. Immutable; any thread.
 *
 * @param relations by name; they are all in one schema
 * @param first whether names without a schema mean them, whatever other schemas have; where
 *     search_path names another schema before theirs, nothing is certain
 * @param emptied whether COMMIT may empty one of them
 */
public record Temporaries(Map<String, Relation> relations, boolean first, boolean emptied) {
  /** Of a session that has none. */
  public static final Temporaries NONE = new Temporaries(Map.of(), true, false);

  /** How their schema is called in every session. */
  private static final String SCHEMA = "pg_temp";

  /**
   * One of them.
   *
   * @param table whether it is a table, and what is written to it is rows of it alone
   * @param view whether who reads it may run code of users
   * @param refers whether it has a foreign key
   */
  public record Relation(boolean table, boolean view, boolean refers) {}

  public Temporaries {
    relations = Map.copyOf(relations);
  }

  public boolean areNone() {
    return relations.isEmpty();
  }

  boolean haveForeignKeys() {
    return relations.values().stream().anyMatch(Relation::refers);
  }

  /** What a name certainly means, or null. */
  Relation at(TableName name, List<Token> tokens) {
    return isOf(name, tokens) ? relations.get(tokens.get(name.last()).text()) : null;
  }

  /** Whether a name means one of them, or none that there is. */
  boolean isOf(TableName name, List<Token> tokens) {
    if (name.last() > name.first()) {
      return isSchema(tokens.get(name.first()));
    }
    return first && mayBeOf(name, tokens);
  }

  /** Whether a name without a schema may mean one of them. */
  boolean mayBeOf(TableName name, List<Token> tokens) {
    return name.last() == name.first()
        && name.last() < tokens.size()
        && tokens.get(name.last()).isName()
        && relations.containsKey(tokens.get(name.last()).text());
  }

  private static boolean isSchema(Token token) {
    return token.isName() && token.text().equals(SCHEMA);
  }

  /** Whether one of them may be meant anywhere in these. */
  boolean areNamed(List<Token> tokens) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean elsewhere = i > 1 && tokens.get(i - 1).isSymbol(".") && !isSchema(tokens.get(i - 2));
      if (token.isName()
          && (isSchema(token) || (relations.containsKey(token.text()) && !elsewhere))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a text may name one of them, as that of a default that draws from a sequence. */
  boolean areQuoted(String sql, List<Token> tokens) {
    return tokens.stream()
        .filter(token -> token.kind() == Token.Kind.STRING)
        .map(token -> sql.substring(token.start(), token.end()).toLowerCase(Locale.ROOT))
        .anyMatch(text -> relations.keySet().stream().anyMatch(name -> isIn(text, name)));
  }

  private static boolean isIn(String text, String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    for (int at = text.indexOf(lower); at >= 0; at = text.indexOf(lower, at + 1)) {
      int end = at + lower.length();
      boolean part =
          (at > 0 && Character.isJavaIdentifierPart(text.charAt(at - 1)))
              || (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end)));
      if (!part) {
        return true;
      }
    }
    return false;
  }

  /** Whether one whose reading may run code of users is named, or a function that asks by name. */
  boolean mayRunCode(List<Token> tokens) {
    return !areNone()
        && tokens.stream()
            .filter(Token::isName)
            .anyMatch(
                token -> {
                  Relation relation = relations.get(token.text());
                  return (relation != null && relation.view()) || token.text().startsWith("has_");
                });
  }
}

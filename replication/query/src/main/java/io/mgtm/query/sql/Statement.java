package io.mgtm.query.sql;

import java.util.List;
import java.util.stream.IntStream;

/**
 * One statement of a text.
 *
 * @param text of it alone, without the semicolon
 * @param write what rows it writes, for the classes K and R; else null
 * @param copy how data are read, for the class COPY_FROM; else null
 * @param hasNumbers whether its constants are numbers that may be parameters, if they are small
 * @param draws whether it calls nextval or setval
 */
public record Statement(
    String text,
    List<Token> tokens,
    Classification classification,
    RowWrite write,
    CopyFrom copy,
    boolean hasNumbers,
    boolean draws) {
  public Statement {
    tokens = List.copyOf(tokens);
  }

  public StatementClass statementClass() {
    return classification.statementClass();
  }

  /** It with its numbers as parameters, or null where they are to stand in the text. */
  public Numbers numbers() {
    return hasNumbers ? Numbers.of(this) : null;
  }

  /** Whether it calls setval. */
  public boolean setsSequences() {
    return draws && SequenceCalls.set(tokens);
  }

  /** Of class SESSION: what it sets by {@code set_config}; none where it is another command. */
  public List<Setting> settings() {
    return Setting.of(text, tokens);
  }

  /** Of a change of the schema: whether what looks like a column may be a call of what it makes. */
  public boolean makesColumnLike() {
    return CodeDdl.makesColumnLike(tokens);
  }

  /** Whether a word stands in it, as a name or key word. */
  public boolean has(String word) {
    return Token.hasName(tokens, word);
  }

  /** Whether what it does at its server lasts as long as the session. */
  public boolean lastsAsSession() {
    return statementClass() == StatementClass.LEADER
        && (word(0).equals("listen")
            || holdsCursor()
            || Token.hasName(tokens, Words.SESSION_LOCKS));
  }

  /** Whether it declares a cursor that outlives its transaction. */
  public boolean holdsCursor() {
    return word(0).equals("declare") && Classifier.isHeld(tokens);
  }

  /** What it names that locks or notifies by itself, or null. */
  public String locks() {
    return tokens.stream()
        .filter(token -> token.isName() && Words.LEADER_FUNCTIONS.contains(token.text()))
        .map(Token::text)
        .findFirst()
        .orElse(null);
  }

  /** Whether rows that it reads are locked by it: FOR UPDATE, NO KEY UPDATE, SHARE, KEY SHARE. */
  public boolean locksRows() {
    return IntStream.range(0, tokens.size()).anyMatch(at -> Purity.isLockAt(tokens, at));
  }

  /** Whether ON CONFLICT may lock a row and then pass it over, by its WHERE. */
  public boolean locksInConflict() {
    return word(0).equals("insert") && has("conflict") && has("where");
  }

  /** Whether a key word ends it, not a name in quotes. */
  public boolean endsWith(String word) {
    return !tokens.isEmpty() && tokens.get(tokens.size() - 1).isWord(word);
  }

  /** Whether it renames a label of an enum. */
  public boolean renamesLabel() {
    return word(0).equals("alter") && word(1).equals("type") && has("rename") && has("value");
  }

  /** GRANT and REVOKE of roles: those of privileges are ON something. */
  public boolean isMembership() {
    return (word(0).equals("grant") || word(0).equals("revoke")) && !has("on");
  }

  /** The word at a place, folded to lower case, or empty where no word stands. */
  public String word(int at) {
    return at < tokens.size() && tokens.get(at).isName() ? tokens.get(at).text() : "";
  }
}

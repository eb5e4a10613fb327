package io.mgtm.query.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Texts of random pieces: the lexer ends, covers the text, and never hides a writing word. */
class LexerFuzzTest {
  private static final List<String> PIECES =
      List.of(
          "select ", "delete ", "insert ", " from t", "'", "\"", "$$", "$a$", "--", "/*", "*/",
          "\n", ";", "E'", "\\", "(", ")", "1", "1.", ".5e-3", "$1", "::", ":=", "->>", "@-", "é",
          "\u0000", " ");

  private static final Classifier CLASSIFIER =
      new Classifier(
          new Catalogue(
              Set.of(),
              Set.of(),
              Set.of("-", "*", "/"),
              Set.of(),
              Set.of(),
              Map.of(),
              false,
              false));

  @Test
  void whateverIsWrittenIsCutOrRefused() {
    long seed = Long.getLong("seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 30_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(12); i >= 0; i--) {
        text.append(PIECES.get(random.nextInt(PIECES.size())));
      }
      check(text.toString(), seed);
    }
  }

  private static void check(String sql, long seed) {
    List<Token> tokens;
    try {
      tokens = Lexer.tokens(sql);
    } catch (SqlException e) {
      assertThat(CLASSIFIER.classify(sql).statementClass())
          .as("seed %d: %s", seed, sql)
          .isEqualTo(StatementClass.UNKNOWN);
      return;
    }
    int at = 0;
    for (Token token : tokens) {
      assertThat(token.start()).as("seed %d: %s", seed, sql).isGreaterThanOrEqualTo(at);
      assertThat(token.end()).as("seed %d: %s", seed, sql).isGreaterThan(token.start());
      at = token.end();
    }
    assertThat(at).isLessThanOrEqualTo(sql.length());
    boolean writes = tokens.stream().anyMatch(t -> t.isWord("delete") || t.isWord("insert"));
    if (writes) {
      assertThat(CLASSIFIER.classify(sql).statementClass())
          .as("seed %d: %s", seed, sql)
          .isNotIn(StatementClass.READ, StatementClass.KEY_LOCAL);
    }
  }
}

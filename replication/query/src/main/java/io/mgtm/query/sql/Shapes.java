package io.mgtm.query.sql;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What a {@link Classifier} has told of statements, for others that differ from them in nothing but
 * constants, white space and comments: their tokens are the same, and tell all of these classes. Of
 * one classifier; one thread.
 */
public final class Shapes {
  /**
   * What is told of a statement by its tokens.
   *
   * @param rows null where it is not told by rows what is written
   * @param numbers whether its constants are numbers that may be parameters
   * @param draws whether it calls nextval or setval
   */
  record Shape(Classification classification, RowShape rows, boolean numbers, boolean draws) {}

  private static final Set<String> ALIKE =
      Set.of("select", "values", "with", "insert", "update", "delete");

  private static final int TOKENS_MAX = 100;
  private static final int COUNT_MAX = 100;

  private final Map<String, Shape> known = new HashMap<>();

  /** Of a statement, told now if nothing like it was. */
  Shape of(List<Token> tokens, Supplier<Shape> told) {
    if (tokens.size() > TOKENS_MAX || !ALIKE.contains(tokens.get(0).text())) {
      return told.get();
    }
    if (known.size() >= COUNT_MAX) {
      known.clear();
    }
    return known.computeIfAbsent(Token.shape(tokens), key -> told.get());
  }
}

package io.mgtm.ha.cli;

import io.mgtm.common.ConfigException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.Function;

/** Asks a person, unless options have answered. An empty line takes the default. */
final class Questions {
  private static final int TRIES = 3;

  /** Null when nobody is asked and defaults are taken. */
  private final BufferedReader in;

  private final PrintWriter out;

  /**
   * One question.
   *
   * @param option the option that answers it too
   * @param given what the option said, null when it was not given
   * @param byDefault empty when there is none
   */
  record Question(String text, String option, String given, String byDefault) {}

  Questions(BufferedReader in, PrintWriter out) {
    this.in = in;
    this.out = out;
  }

  /** The answer, as {@code parser} takes it; what it throws is said, and asked again. */
  <T> T ask(Question question, Function<String, T> parser) throws IOException, ConfigException {
    if (question.given() != null || in == null) {
      String answer = Optional.ofNullable(question.given()).orElse(question.byDefault()).strip();
      if (answer.isEmpty()) {
        throw new ConfigException(question.option() + " is missing: " + question.text());
      }
      return parsed(question, answer, parser);
    }
    ConfigException last = null;
    for (int i = 0; i < TRIES; i++) {
      String answer = line(question);
      if (answer.isEmpty()) {
        answer = question.byDefault();
      }
      if (answer.isEmpty()) {
        last = new ConfigException(question.option() + ": an answer is needed");
      } else {
        try {
          return parsed(question, answer, parser);
        } catch (ConfigException e) {
          last = e;
        }
      }
      out.println("  " + last.getMessage());
    }
    throw last;
  }

  private static <T> T parsed(Question question, String answer, Function<String, T> parser)
      throws ConfigException {
    try {
      return parser.apply(answer);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(question.option() + ": " + e.getMessage(), e);
    }
  }

  private String line(Question question) throws IOException, ConfigException {
    out.print(question.text());
    out.print(question.byDefault().isEmpty() ? ": " : " [" + question.byDefault() + "]: ");
    out.flush();
    String line = in.readLine();
    if (line == null) {
      throw new ConfigException(
          "the input ended at the question for "
              + question.option()
              + "; without a terminal give the answers as options, and --yes for the defaults");
    }
    return line.strip();
  }
}

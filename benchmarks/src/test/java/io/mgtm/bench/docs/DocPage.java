package io.mgtm.bench.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The steps of a page of the documentation that are marked as runnable, in order. A comment of HTML
 * on the line before a block of code marks it:
 *
 * <pre>
 *   runs              its commands run, and end with status 0; where lines begin with "$ ", those
 *                     are the commands, and the lines below each are what it prints
 *   runs until TEXT   its one command runs until the page's end; the next step waits for TEXT in
 *                     what it prints
 *   printed           what the step before has printed contains these lines
 *   file PATH         what is in this file from here on
 * </pre>
 *
 * <p>A line {@code needs VARIABLE: WHAT} anywhere says what the user must have, named by a variable
 * of the environment.
 *
 * @param needs what each variable names
 */
record DocPage(List<Step> steps, Map<String, String> needs) {
  private static final Pattern NEEDS = Pattern.compile("(?m)^<!-- needs (\\w+): (.+) -->$");
  private static final Pattern BLOCK =
      Pattern.compile(
          "(?ms)^<!-- (runs|runs until (.+?)|printed|file (\\S+)) -->\n```\\w*\n(.*?)^```$");
  private static final Pattern COMMAND = Pattern.compile("(?m)^\\$ (.*)\n((?:(?!\\$ ).*\n)*)");
  private static final Pattern NUMBER = Pattern.compile("\\d[\\d,.]*\\d|\\d");
  private static final String ANYTHING = "…";

  /**
   * One script.
   *
   * @param until what is waited for; empty where its end is
   * @param expected what it prints; lines of it alone, where it runs on
   */
  record Step(String script, String until, List<String> expected) {
    /** The first line that was to be printed and was not; null when all were, in this order. */
    String missing(String printed) {
      List<String> lines = printed.lines().toList();
      int next = 0;
      for (String line : expected) {
        Pattern pattern = pattern(line);
        while (next < lines.size() && !pattern.matcher(lines.get(next).stripTrailing()).matches()) {
          next++;
        }
        if (next++ == lines.size()) {
          return line;
        }
      }
      return null;
    }
  }

  /** Words are compared, numbers are any numbers, and blanks may be more or fewer beside them. */
  private static Pattern pattern(String line) {
    return Pattern.compile(
        Pattern.compile(ANYTHING)
                .splitAsStream(line.stripTrailing())
                .map(DocPage::withAnyNumbers)
                .collect(Collectors.joining(".*"))
            + (line.stripTrailing().endsWith(ANYTHING) ? ".*" : ""));
  }

  private static String withAnyNumbers(String text) {
    return NUMBER
        .splitAsStream(text + " ")
        .map(Pattern::quote)
        .collect(Collectors.joining("\\d[\\d,.]*"))
        .replaceFirst(" \\\\E$", "\\\\E");
  }

  static DocPage read(Path page) throws IOException {
    return parse(Files.readString(page));
  }

  static DocPage parse(String text) {
    List<Step> steps = new ArrayList<>();
    for (MatchResult block : BLOCK.matcher(text).results().toList()) {
      String body = block.group(4);
      if (block.group(1).equals("printed")) {
        Step last = steps.remove(steps.size() - 1);
        steps.add(new Step(last.script(), last.until(), body.lines().toList()));
      } else if (block.group(3) != null) {
        steps.add(
            new Step("cat >%s <<'END'\n%sEND\n".formatted(block.group(3), body), "", List.of()));
      } else if (block.group(2) != null || !body.startsWith("$ ")) {
        steps.add(new Step(body, block.group(2) == null ? "" : block.group(2), List.of()));
      } else {
        for (MatchResult command : COMMAND.matcher(body).results().toList()) {
          steps.add(new Step(command.group(1), "", command.group(2).lines().toList()));
        }
      }
    }
    return new DocPage(
        List.copyOf(steps),
        NEEDS
            .matcher(text)
            .results()
            .collect(Collectors.toMap(need -> need.group(1), need -> need.group(2))));
  }
}

package io.mgtm.query.suite;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** What came of the suites, as tables of docs/query-regression.md. */
final class SuiteReport {
  private static final int LINES_MAX = 12;

  private final KnownDifferences known;

  SuiteReport(KnownDifferences known) {
    this.known = known;
  }

  /** What neither a refusal nor a known reason explains, one line each. */
  List<String> faults(List<Outcome> outcomes) {
    List<String> faults = new ArrayList<>();
    for (Outcome one : outcomes) {
      if (!one.whyOut().isEmpty()) {
        faults.add(one.test() + ": a server was put out: " + one.whyOut());
      }
      if (!one.differences().isEmpty() && known.of(one.test()) == null) {
        faults.add(one.test() + ": " + String.join("\n    ", head(one.differences())));
      }
      one.refused().stream()
          .filter(refused -> Reason.of(refused.message()) == Reason.OTHER)
          .forEach(refused -> faults.add(one.test() + ": " + refused));
    }
    return faults;
  }

  private static List<String> head(List<String> lines) {
    return lines.size() <= LINES_MAX ? lines : List.copyOf(lines.subList(0, LINES_MAX));
  }

  /**
   * The tables of the page.
   *
   * @param source the package that the tests are of
   * @param rows differences of tables between the servers, after all
   */
  String page(String source, List<Outcome> regression, List<Outcome> isolation, List<String> rows) {
    return "Run with the tests of "
        + source
        + ". Rows that differ between the two servers after all: "
        + (rows.isEmpty() ? "none" : String.join("; ", rows))
        + ".\n\n"
        + tables("Regression tests", "do the same but for what is refused", regression)
        + tables("Isolation tests", "are refused something", isolation);
  }

  private String tables(String name, String but, List<Outcome> outcomes) {
    Predicate<Outcome> same = one -> one.differences().isEmpty() && one.whyOut().isEmpty();
    List<Outcome> whole =
        outcomes.stream().filter(same.and(one -> one.refused().isEmpty())).toList();
    List<Outcome> refused =
        outcomes.stream().filter(same.and(one -> !one.refused().isEmpty())).toList();
    List<Outcome> others = outcomes.stream().filter(same.negate()).toList();
    StringBuilder text = new StringBuilder();
    text.append("## ")
        .append(name)
        .append("\n\n| of %d tests | |\n|---|---|\n".formatted(outcomes.size()));
    row(text, "%d do the same".formatted(whole.size()), names(whole));
    row(
        text,
        refused.size() + " " + but,
        refused.stream()
            .map(
                one ->
                    "%s (%d of %d)".formatted(one.test(), one.refused().size(), one.statements()))
            .collect(Collectors.joining(", ")));
    row(text, "%d differ otherwise".formatted(others.size()), names(others));
    text.append("\n| refused | SQLSTATE | statements | tests |\n|---|---|---|---|\n");
    reasons(outcomes).forEach((reason, its) -> text.append(its.row(reason)));
    if (!others.isEmpty()) {
      text.append("\n| differs otherwise | why |\n|---|---|\n");
      others.forEach(one -> row(text, one.test(), why(one)));
    }
    return text.append('\n').toString();
  }

  private String why(Outcome one) {
    String why = known.of(one.test());
    String found =
        why == null
            ? head(one.differences()).stream()
                .map(line -> "`" + line.replace("|", "¦").replace("`", "'") + "`")
                .collect(Collectors.joining(" "))
            : why;
    return one.whyOut().isEmpty() ? found : "a server was put out: " + one.whyOut() + " " + found;
  }

  private static String names(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::test).collect(Collectors.joining(", "));
  }

  private static void row(StringBuilder text, String first, String second) {
    text.append("| ").append(first).append(" | ").append(second).append(" |\n");
  }

  /** What is refused for one reason. */
  private static final class Refusals {
    private final TreeSet<String> states = new TreeSet<>();
    private final TreeSet<String> tests = new TreeSet<>();
    private int statements;

    String row(Reason reason) {
      return String.format(
          Locale.ROOT,
          "| %s | %s | %d | %d |%n",
          reason.text(),
          String.join(", ", states),
          statements,
          tests.size());
    }
  }

  private static Map<Reason, Refusals> reasons(List<Outcome> outcomes) {
    Map<Reason, Refusals> reasons = new EnumMap<>(Reason.class);
    for (Outcome one : outcomes) {
      for (Outcome.Refused refused : one.refused()) {
        Refusals its = reasons.computeIfAbsent(Reason.of(refused.message()), r -> new Refusals());
        its.states.add(refused.sqlState());
        its.tests.add(one.test());
        its.statements++;
      }
    }
    return reasons;
  }
}

package io.mgtm.ha.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogMembersTest {
  /**
   * Members are named in the order of their votes; one with a dash lacks something; w, x only vote.
   */
  @ParameterizedTest
  @CsvSource({
    // members, awaited, nodes, what is done
    "'a b c',     '',  'a b c',     ''",
    // a pair becomes three: the witness votes until the third has all
    "'a b w',     '',  'a b c',     'join c'",
    "'a b w',     c,   'a b c',     ''",
    "'a b w -c',  '',  'a b c',     ''",
    "'a b w c',   '',  'a b c',     'leave w'",
    "'a b c',     '',  'a b c',     ''",
    // and back
    "'a b c',     '',  'a b w',     'join w as witness'",
    "'a b c -w',  '',  'a b w',     ''",
    "'a b c w',   '',  'a b w',     'leave c'",
    // there is one witness at a time
    "'a b w',     '',  'a b x',     'leave w'",
    "'a b',       '',  'a b x',     'join x as witness'",
    // a node for another, beside a witness or not
    "'a b w',     '',  'a c w',     'join c'",
    "'a b w c',   '',  'a c w',     'leave b'",
    "'a b c d',   '',  'a b d',     'leave c'",
    // more at a time
    "'a',         '',  'a b w',     'join b, join w as witness'",
    "'a b w',     '',  'a b c d e', 'join c, join d, join e'",
    "'a b w c d', e,   'a b c d e', ''",
    "'a b c d e', '',  'a b c',     'leave d'",
    "'a b c e',   '',  'a b c',     'leave e'",
    // who leads leaves by handing over; who shall not come any more is not waited for
    "'a b c d',   '',  'b c d',     'lead b'",
    "'a b c',     d,   'a b c',     'leave d'",
    "'a b c',     d,   'a b e',     'leave d'",
  })
  void isFollowedByOneStepAtATime(String members, String awaited, String nodes, String steps) {
    Map<String, Boolean> now = new LinkedHashMap<>();
    words(members).forEach(word -> now.put(word.replace("-", ""), !word.startsWith("-")));
    String witness = now.keySet().stream().filter("wx"::contains).findFirst().orElse("");
    List<String> successors = now.keySet().stream().filter(name -> !"awx".contains(name)).toList();
    LogMembers log = new LogMembers("a", now, witness, Set.copyOf(words(awaited)), successors);

    Map<String, Boolean> config = new LinkedHashMap<>();
    words(nodes).forEach(name -> config.put(name, "wx".contains(name)));
    assertThat(
            log.next(config).stream().map(LogMembersTest::said).collect(Collectors.joining(", ")))
        .isEqualTo(steps);
  }

  private static List<String> words(String text) {
    return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).toList();
  }

  private static String said(LogMembers.Step step) {
    return step.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT)
        + " "
        + step.name()
        + (step instanceof LogMembers.Join join && join.asWitness() ? " as witness" : "");
  }
}

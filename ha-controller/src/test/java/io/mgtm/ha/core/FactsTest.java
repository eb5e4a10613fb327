package io.mgtm.ha.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FactsTest {
  private static Map<String, String> many(String value) {
    Map<String, String> many = new LinkedHashMap<>();
    for (int i = 0; i < 1_000; i++) {
      many.put("key" + i, value);
    }
    return many;
  }

  /** As Jackson may write them, each character in its longest form. */
  private static int bytes(Map<String, String> facts) {
    return facts.entrySet().stream()
        .mapToInt(each -> each.getKey().length() + 6 * each.getValue().length() + 6)
        .sum();
  }

  @Test
  void whatStatesRestOnIsLeftOutAndOrderIsKept() {
    Map<String, String> data = new LinkedHashMap<>();
    data.put("role", "primary");
    data.put(CopyReport.TOKEN, "t1");
    data.put(CopyReport.IN_SYNC, "a,b");
    data.put("copy", "UpToDate");

    assertThat(new Facts().of(data))
        .containsExactly(entry("role", "primary"), entry("copy", "UpToDate"));
  }

  @Test
  void sentencesAreOnOneLineAndBoundedTogether() {
    Facts facts = new Facts();
    assertThat(facts.sentence("a\n\u0001b")).isEqualTo("a b");
    assertThat(facts.sentence("x".repeat(70_000))).hasSize(Facts.SENTENCE_CHARS_MAX);
    int bytes = 0;
    for (int i = 0; i < 1_000; i++) {
      bytes += facts.sentence("\"".repeat(1_000)).length();
    }
    assertThat(6 * bytes).isLessThan(Facts.SENTENCES_BYTES_MAX + 6 * 1_000);
  }

  @Test
  void longValuesAreCut() {
    assertThat(new Facts().of(Map.of("why", "x".repeat(5_000))).get("why"))
        .hasSize(Facts.VALUE_CHARS_MAX)
        .endsWith("…");
  }

  @Test
  void halvesOfSurrogatePairsAreReplaced() {
    assertThat(
            new Facts().of(Map.of("why", "a\ud83d", "then", "\ud83d\ude00".repeat(200))).values())
        .allSatisfy(
            value ->
                assertThat(value.chars().anyMatch(c -> c == 0xd83d))
                    .isEqualTo(value.contains("\ud83d\ude00")))
        .contains("a?");
  }

  @Test
  void oneResourceDoesNotTakeTheRoomOfAllOthers() {
    Facts facts = new Facts();

    assertThat(bytes(facts.of(many("\u0001\u0002\u0003\u0004"))))
        .isBetween(1, Facts.RESOURCE_BYTES_MAX);
    assertThat(facts.of(Map.of("role", "primary"))).containsEntry("role", "primary");
  }

  @Test
  void allTogetherFitIntoADatagramWithTheRest() {
    Facts facts = new Facts();
    int sum = 0;
    for (int resource = 0; resource < 100; resource++) {
      sum += bytes(facts.of(many("\u0001\u0002\u0003\u0004")));
    }

    assertThat(sum).isBetween(1, Facts.BYTES_MAX);
    assertThat(facts.of(many("v"))).hasSizeLessThan(10);
  }

  @Test
  void whatIsLeftOfADatagramMayBeLess() {
    Facts facts = new Facts(100);
    assertThat(facts.of(many("v"))).as("key, value, and what is around them").hasSize(9);
    assertThat(facts.sentence("x".repeat(90))).hasSize(90);
    assertThat(facts.sentence("x".repeat(90))).isEqualTo("…");
  }
}

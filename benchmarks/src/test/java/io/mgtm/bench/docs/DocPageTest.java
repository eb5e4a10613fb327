package io.mgtm.bench.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which blocks run, and what counts as printed. */
class DocPageTest {
  @Test
  void marksSayWhatRuns() {
    DocPage page =
        DocPage.parse(
            """
            <!-- needs PROGRAMS: where they are -->
            ```
            not this
            ```
            <!-- runs until Listening -->
            ```
            serve --at x
            ```
            It prints:
            <!-- printed -->
            ```
            Listening on x
            ```
            <!-- runs -->
            ```
            $ ask x
            fine
            $ ask y
            ```
            <!-- runs -->
            ```sh
            one
            two
            ```
            """);
    assertThat(page.steps())
        .containsExactly(
            new DocPage.Step("serve --at x\n", "Listening", List.of("Listening on x")),
            new DocPage.Step("ask x", "", List.of("fine")),
            new DocPage.Step("ask y", "", List.of()),
            new DocPage.Step("one\ntwo\n", "", List.of()));
    assertThat(page.needs()).containsExactly(Map.entry("PROGRAMS", "where they are"));
  }

  private static String missing(String expected, String printed) {
    return new DocPage.Step("", "", expected.lines().toList()).missing(printed);
  }

  @Test
  void wordsAreComparedAndNumbersAreNot() {
    assertThat(missing("took 1.5 ms, 3 open", "took 12 ms, 1,204 open\n")).isNull();
    assertThat(missing("took 1.5 ms", "gave 1.5 ms\n")).isEqualTo("took 1.5 ms");
    assertThat(missing("ids 10", "ids 10 and more\n")).isEqualTo("ids 10");
    assertThat(missing("Data in …/data; end", "Data in /home/x/data; end\n")).isNull();
    assertThat(missing("(a) [b] …", "(a) [b] c\n")).isNull();
    assertThat(missing("ends with 7", "ends with 99\n")).isNull();
  }

  @Test
  void linesComeInOrderAndOthersMayBeBetween() {
    assertThat(missing("a\nc", "a\nb\nc\n")).isNull();
    assertThat(missing("c\na", "a\nb\nc\n")).isEqualTo("a");
  }
}

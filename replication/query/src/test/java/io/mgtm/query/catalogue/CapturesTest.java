package io.mgtm.query.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CapturesTest {
  private static final String TABLE = "\"public\".\"t\"";

  /** Else who writes to a table that was seen after many texts would try it for nothing. */
  @Test
  void tablesAreKnownHoweverManyTextsThereWere() {
    Captures captures = Captures.of(null, false, List.of(List.of(TABLE, "", "t")), List.of());
    for (int i = 0; i < 3_000; i++) {
      captures.sawMore("select f(" + i + ")");
    }
    captures.sawMore(TABLE);
    captures.sawMore("select f('" + "x".repeat(1 << 20) + "')");
    for (int i = 3_000; i < 6_000; i++) {
      captures.sawMore("select f(" + i + ")");
    }
    assertThat(captures.writesMore(TABLE)).isTrue();
    assertThat(captures.writesMore("select f(5999)")).isTrue();
    assertThat(captures.more()).hasSizeLessThanOrEqualTo(1_001);
  }
}

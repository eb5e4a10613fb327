package io.mgtm.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void aMedianIsTheMiddle() {
    assertThat(Spread.of(3, 1, 2)).extracting(Spread::median).isEqualTo(2.0);
    assertThat(Spread.of(4, 1, 2, 3)).extracting(Spread::median).isEqualTo(2.5);
    assertThat(Spread.of(4, 1, 2).lowest()).isEqualTo(1);
    assertThat(Spread.of(1, 4, 2).highest()).isEqualTo(4);
    assertThatThrownBy(Spread::of).hasMessage("there is no median of no rounds");
  }

  @Test
  void aRatioIsOfRoundsSideBySide() {
    Spread ratio = Spread.of(10, 30, 40).to(Spread.of(10, 10, 20));
    assertThat(ratio.rounds()).containsExactly(1.0, 3.0, 2.0);
    assertThat(ratio.median()).isEqualTo(2);
    assertThatThrownBy(() -> Spread.of(1).to(Spread.of(1, 2)))
        .hasMessage("1 rounds are not to be compared with 2");
  }
}

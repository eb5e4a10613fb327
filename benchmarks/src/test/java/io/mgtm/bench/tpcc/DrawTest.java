package io.mgtm.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrawTest {
  private static final int DRAWS = 100_000;

  private final Draw draw = new Draw(1, 0);

  @Test
  void lastNamesAreThreeSyllables() {
    assertThat(LastNames.of(0)).isEqualTo("BARBARBAR");
    assertThat(LastNames.of(371)).isEqualTo("PRICALLYOUGHT");
    assertThat(LastNames.of(999)).isEqualTo("EINGEINGEING");
    assertThat(IntStream.range(0, LastNames.COUNT).mapToObj(LastNames::of).distinct())
        .hasSize(1000);
    assertThatThrownBy(() -> LastNames.of(1_000)).hasMessageContaining("1000");
  }

  @Test
  void theWholePopulationHasTheSpecificationsConstants() {
    Population whole = new Population(3, 1);
    assertThat(whole.itemIds()).extracting("a", "low", "high").containsExactly(8_191, 1, 100_000);
    assertThat(whole.customerIds()).extracting("a", "low", "high").containsExactly(1_023, 1, 3_000);
    assertThat(whole.lastNamesAtRun()).extracting("a", "low", "high").containsExactly(255, 0, 999);
    int delta = whole.lastNamesAtRun().c() - whole.lastNamesAtLoad().c();
    assertThat(delta).isBetween(65, 119).isNotEqualTo(96).isNotEqualTo(112);
    assertThat(whole.firstUndelivered()).isEqualTo(2_101);
  }

  @Test
  void theNonUniformFunctionIsThatOfTheSpecification() {
    assertThat(new NonUniform(255, 0, 999, 123).value(0b1010, 0b0110)).isEqualTo(0b1110 + 123);
    assertThat(new NonUniform(255, 1, 100, 200).value(0, 100)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100})
  void drawsStayInTheirRangeAndPreferSome(int scale) {
    Population population = new Population(1, scale);
    for (NonUniform range :
        new NonUniform[] {
          population.itemIds(), population.customerIds(), population.lastNamesAtRun()
        }) {
      int[] counts = new int[range.high() + 1];
      for (int i = 0; i < DRAWS; i++) {
        counts[draw.nonUniform(range)]++;
      }
      assertThat(Arrays.stream(counts).limit(range.low()).sum()).isZero();
      int most = Arrays.stream(counts).max().orElseThrow();
      assertThat(most).isGreaterThan(3 * DRAWS / (range.high() - range.low() + 1));
    }
  }

  @Test
  void scaledPopulationsAreRefusedOutsideTheirBounds() {
    assertThatThrownBy(() -> new Population(0, 1)).hasMessageContaining("--warehouses");
    assertThatThrownBy(() -> new Population(1, 101)).hasMessageContaining("--scale");
    assertThat(new Population(2, 100).describe())
        .isEqualTo(
            "2 warehouses of 1/100 of the specification's population (1,000 items, 30 customers a district)");
  }

  @Test
  void aPermutationHasEachNumberOnce() {
    int[] numbers = draw.permutation(3_000);
    assertThat(numbers).isNotEqualTo(IntStream.rangeClosed(1, 3_000).toArray());
    Arrays.sort(numbers);
    assertThat(numbers).isEqualTo(IntStream.rangeClosed(1, 3_000).toArray());
  }

  @Test
  void oneInTenIsOriginal() {
    long originals =
        IntStream.range(0, 10_000).filter(i -> draw.data().contains("ORIGINAL")).count();
    assertThat(originals).isBetween(900L, 1_100L);
  }

  @Test
  void aSeedAndStreamDrawTheSame() {
    assertThat(new Draw(7, 3).text(50, 50)).isEqualTo(new Draw(7, 3).text(50, 50));
    assertThat(new Draw(7, 3).text(50, 50)).isNotEqualTo(new Draw(7, 4).text(50, 50));
    assertThat(draw.zip()).matches("\\d{4}11111");
  }
}

package io.mgtm.gtm.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GxidMathTest {
  private static final long EPOCH = 1L << 32;

  @Test
  void theSpecialIdsAreNeverGivenInAnyEpoch() {
    assertThat(GxidMath.next(EPOCH - 1)).isEqualTo(EPOCH + 3);
    assertThat(GxidMath.previous(EPOCH + 3)).isEqualTo(EPOCH - 1);
    assertThat(GxidMath.next(3)).isEqualTo(4);
    assertThat(GxidMath.previous(3)).isEqualTo(2);
    assertThat(GxidMath.atLeastNormal(5 * EPOCH)).isEqualTo(5 * EPOCH + 3);
    assertThat(GxidMath.atLeastNormal(5 * EPOCH + 7)).isEqualTo(5 * EPOCH + 7);
  }

  @Test
  void aWireIdStandsForTheNewestOneNotAfterTheReference() {
    long reference = 3 * EPOCH + 100;
    assertThat(GxidMath.notAfter(reference, 100)).isEqualTo(reference);
    assertThat(GxidMath.notAfter(reference, 99)).isEqualTo(reference - 1);
    assertThat(GxidMath.notAfter(reference, 101)).isEqualTo(2 * EPOCH + 101);
    assertThat(GxidMath.notAfter(reference, -1)).isEqualTo(3 * EPOCH - 1);
  }
}

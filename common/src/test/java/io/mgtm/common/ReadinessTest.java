package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadinessTest {
  @Test
  void nothingIsSaidWhereNobodyWaits() {
    assertThatCode(() -> Readiness.tell(null, List.of("/nonexistent"))).doesNotThrowAnyException();
  }

  @Test
  void whatCannotBeSaidEndsTheStart() {
    assertThatCode(() -> Readiness.tell("/run/notify", List.of("true"))).doesNotThrowAnyException();
    assertThatThrownBy(() -> Readiness.tell("/run/notify", List.of("false")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("false ended with status 1");
    assertThatThrownBy(() -> Readiness.tell("/run/notify", List.of("/nonexistent")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/nonexistent");
  }
}

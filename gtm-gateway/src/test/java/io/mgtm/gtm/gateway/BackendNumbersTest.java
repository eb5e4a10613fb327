package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import org.junit.jupiter.api.Test;

class BackendNumbersTest {
  @Test
  void numbersFitTheProtocol() {
    BackendNumbers numbers = new BackendNumbers();
    for (int i = 0; i <= Short.MAX_VALUE; i++) {
      assertThat(numbers.take()).isNotEqualTo(Command.NO_BACKEND);
    }
    assertThat(numbers.take()).isEqualTo(BackendNumbers.NONE);
    numbers.giveBack((short) 7);
    assertThat(numbers.take()).isEqualTo((short) 7);
  }
}

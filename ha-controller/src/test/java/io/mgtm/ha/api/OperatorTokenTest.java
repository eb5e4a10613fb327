package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OperatorTokenTest {
  /** As {@code printf 'mgtm ha operators' | openssl dgst -sha256 -hmac secret} says. */
  @Test
  void isWhatOtherProgramsComputeToo() {
    assertThat(OperatorToken.of("secret"))
        .isEqualTo("f7bf68e2ad027420c58c920fbc86171729f36d985f8bf0d6ba79a0ea4948c759");
  }
}

package io.mgtm.query.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GreetingTest {
  @Test
  void versionsAreCompared() {
    assertThat(Greeting.number("15.18 (Debian 15.18-0+deb12u1)")).isEqualTo(150018);
    assertThat(Greeting.number("18.6")).isEqualTo(180006);
    assertThat(Greeting.number("19beta1")).isEqualTo(190000);
    assertThat(Greeting.number("")).isZero();
  }
}

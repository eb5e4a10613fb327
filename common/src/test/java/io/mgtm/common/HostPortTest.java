package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @ParameterizedTest
  @ValueSource(strings = {"localhost:0", "10.0.0.1:65535", "[::1]:6666"})
  void isWrittenAsItWasRead(String text) {
    assertThat(HostPort.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ":", "host", "host:", ":1", "host:65536", "host:-1", "::1:6666", "a:b"})
  void otherTextIsRefused(String text) {
    assertThatThrownBy(() -> HostPort.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "\"" + text + "\" is no address: expected HOST:PORT, with a port from 0 to 65535");
  }

  @Test
  void bracketsAreNotOfTheHost() {
    assertThat(HostPort.parse("[::1]:1").host()).isEqualTo("::1");
  }
}

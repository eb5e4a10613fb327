package io.mgtm.block.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeartbeatTest {
  private int beats;

  @Test
  void aBeatThatFailsIsToldOnceAndIsTheLast() {
    List<Throwable> failures = new ArrayList<>();
    Heartbeat heartbeat =
        new Heartbeat(
            () -> {
              beats++;
              if (beats == 2) {
                throw new IllegalStateException("planted");
              }
            },
            failures::add);
    for (int i = 0; i < 5; i++) {
      heartbeat.run();
    }
    assertThat(beats).isEqualTo(2);
    assertThat(failures).hasSize(1).first().extracting(Throwable::getMessage).isEqualTo("planted");
  }
}

package io.mgtm.block.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StrangersLogTest {
  @Test
  void manyLinesBecomeANumber() {
    AtomicLong now = new AtomicLong(-5);
    List<String> log = new ArrayList<>();
    StrangersLog sparse = new StrangersLog(now::get);
    for (int i = 0; i < 1000; i++) {
      sparse.line(log::add, "a stranger came");
    }
    assertThat(log).hasSize(StrangersLog.LINES_MAX);
    now.addAndGet(TimeUnit.MINUTES.toNanos(1));
    sparse.line(log::add, "another came");
    assertThat(log.subList(StrangersLog.LINES_MAX, log.size()))
        .containsExactly(
            1000 - StrangersLog.LINES_MAX + " more lines like the last ones were left out",
            "another came");
  }
}

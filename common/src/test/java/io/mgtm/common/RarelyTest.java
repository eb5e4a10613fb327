package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RarelyTest {
  @Test
  void whatIsSaidTooOftenIsCounted() {
    AtomicLong now = new AtomicLong(Long.MAX_VALUE);
    Rarely rarely = new Rarely(now::get);
    List<String> said = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      rarely.run(said::add);
    }
    now.addAndGet(TimeUnit.MINUTES.toNanos(1) - 1);
    rarely.run(said::add);
    assertThat(said).isEqualTo(Collections.nCopies(Rarely.LINES_MAX, ""));
    now.addAndGet(1);
    rarely.run(said::add);
    rarely.run(said::add);
    assertThat(said.subList(Rarely.LINES_MAX, said.size()))
        .containsExactly(" (and 981 more such before)", "");
  }
}

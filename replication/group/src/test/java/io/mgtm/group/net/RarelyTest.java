package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
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
    now.addAndGet(TimeUnit.SECONDS.toNanos(5));
    rarely.run(said::add);
    now.addAndGet(TimeUnit.SECONDS.toNanos(5));
    rarely.run(said::add);
    assertThat(said).containsExactly("", " (and 999 more such before)", "");
  }
}

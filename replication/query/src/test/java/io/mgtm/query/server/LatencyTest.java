package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatencyTest {
  @Test
  void eachBoundCountsWhatTookNoLonger() {
    Latency latency = new Latency();
    latency.record(100_000);
    latency.record(100_001_000);
    latency.record(20_000_000_000L);
    StringBuilder out = new StringBuilder();
    latency.appendTo(out, "taken", "server=\"a:1\"");
    assertThat(latency.count()).isEqualTo(3);
    assertThat(out.toString().lines())
        .contains(
            "taken_bucket{server=\"a:1\",le=\"0.0001\"} 1",
            "taken_bucket{server=\"a:1\",le=\"0.1\"} 1",
            "taken_bucket{server=\"a:1\",le=\"0.25\"} 2",
            "taken_bucket{server=\"a:1\",le=\"10\"} 2",
            "taken_bucket{server=\"a:1\",le=\"+Inf\"} 3",
            "taken_sum{server=\"a:1\"} 20.100101",
            "taken_count{server=\"a:1\"} 3");
  }

  @Test
  void answersAreOfTheRequestsInTheirOrder() {
    SentTimes sent = new SentTimes();
    long next = 0;
    long first = 0;
    for (int most = 1; most < 40; most++) {
      for (int i = 0; i < most; i++) {
        sent.add(next++);
      }
      for (int i = 0; i < most - 1; i++) {
        assertThat(sent.remove()).isEqualTo(first++);
      }
    }
    while (first < next) {
      assertThat(sent.remove()).isEqualTo(first++);
    }
  }
}

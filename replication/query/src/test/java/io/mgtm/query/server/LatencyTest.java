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
}

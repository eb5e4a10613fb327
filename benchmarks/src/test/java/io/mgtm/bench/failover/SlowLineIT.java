package io.mgtm.bench.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.volume.Exec;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The line as it is without netem, which few kernels of test machines have. */
class SlowLineIT {
  private static boolean reaches(ProcessNetwork network, String from, String to)
      throws InterruptedException {
    List<String> ask =
        List.of("arping", "-f", "-c", "3", "-w", "3", "-I", "eth0", network.address(to));
    return Exec.succeeds(60, network.place(from, ask));
  }

  @Test
  void aCutIsBetweenThoseBeforeItAndThoseBehind() throws Exception {
    Assumptions.assumeTrue(
        ProcessNetwork.isPossible() && Exec.has("arping"),
        "SKIPPED: network namespaces and arping are needed");
    try (ProcessNetwork network = ProcessNetwork.make(List.of("one", "two", "three"))) {
      SlowLine line = SlowLine.in(network);
      line.put(List.of("two", "three"));
      assertThat(reaches(network, "one", "two")).isTrue();
      line.cut();
      assertThat(reaches(network, "one", "two")).isFalse();
      assertThat(reaches(network, "two", "three")).isTrue();
      line.put(List.of("three"));
      assertThat(reaches(network, "one", "two")).isTrue();
      assertThat(reaches(network, "two", "three")).isFalse();
      line.mend();
      assertThat(reaches(network, "two", "three")).isTrue();
    }
  }
}

package io.mgtm.bench.fault;

import io.mgtm.bench.failover.ProcessNetwork;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A {@link ProcessNetwork}, where there can be one. */
final class TestNetwork {
  private TestNetwork() {}

  /** Makes it, or skips the test where it cannot be made. */
  static ProcessNetwork make(String... names) throws IOException {
    Assumptions.assumeTrue(
        ProcessNetwork.isPossible(), "SKIPPED: network namespaces need root and iproute2");
    return ProcessNetwork.make(List.of(names));
  }
}

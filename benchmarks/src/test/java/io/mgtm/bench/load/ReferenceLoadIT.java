package io.mgtm.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import java.io.IOException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The load tool against the original GTM or proxy that -Dmgtm.reference=HOST:PORT names. */
class ReferenceLoadIT {
  @ParameterizedTest
  @CsvSource({"TXN, 0", "TXN, 500", "BEGIN, 0", "SEQ, 0"})
  void nothingIsFoundAtTheOriginal(Mix mix, int open) throws IOException, InterruptedException {
    String reference = System.getProperty("mgtm.reference", "");
    Assumptions.assumeFalse(
        reference.isEmpty(), "SKIPPED: no original GTM, name one with -Dmgtm.reference=HOST:PORT");
    LoadResult result =
        LoadRun.run(
            LoadSettings.of(HostPort.parse(reference).resolve(), 8, mix, 500).withOpen(open));
    assertThat(result.firstErrors()).isEmpty();
    assertThat(result.firstFindings()).isEmpty();
    assertThat(result.clean()).isTrue();
  }
}

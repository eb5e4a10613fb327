package io.mgtm.gtm.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.RecordedRequests;

/** Whatever somebody sends who connects: a startup packet comes first, or it is refused. */
class StartupFuzzTest {
  @FuzzTest(maxDuration = "2m")
  void aNewConnectionsBytes(byte[] data) {
    RecordedRequests whole = new RecordedRequests();
    boolean broken = false;
    try {
      whole.feed(data);
    } catch (WireException e) {
      assertThat(e.getMessage()).isNotEmpty();
      broken = true;
    }
    RecordedRequests trickled = new RecordedRequests();
    boolean brokenToo = false;
    try {
      for (int i = 0; i < data.length; i++) {
        trickled.feed(data, i, i + 1);
      }
    } catch (WireException e) {
      brokenToo = true;
    }
    assertThat(trickled.events).isEqualTo(whole.events);
    assertThat(brokenToo).isEqualTo(broken);
    if (!whole.events.isEmpty()) {
      assertThat(whole.events.get(0).kind()).isEqualTo("startup");
    }
  }
}

package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.jgroups.Address;
import org.junit.jupiter.api.Test;

class OtherClustersTest {
  private final AtomicLong nowMs = new AtomicLong();
  private final OtherClusters others = new OtherClusters("g1", "mgtm-fifo", nowMs::get);
  private final Address other =
      MemberAddress.of("g2", new InetSocketAddress(InetAddress.getLoopbackAddress(), 2));

  @Test
  void anotherModeIsNamed() {
    others.heard(other, "mgtm-causal");
    assertThat(others.sentences())
        .containsExactly(
            "g2 runs in mode causal and this member in mode fifo, so they do not hear each other; start all with the same --mode");
  }

  @Test
  void anotherGroupIsNamed() {
    others.heard(other, "prod-fifo");
    assertThat(others.sentences()).singleElement().asString().contains("of the group prod-fifo");
  }

  @Test
  void silentStrangerIsForgotten() {
    others.heard(other, "mgtm-lazy");
    nowMs.set(60_000);
    assertThat(others.sentences()).isEmpty();
  }
}

package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class MemberSetupTest {
  private static GtmConfig config(String own) {
    String members = "g1=no.such.host.invalid:7666,g2=127.0.0.1:7666";
    return TestConfigs.with(new GroupConfig(own, members, GroupMode.FIFO, null, "test"));
  }

  @Test
  void memberWhoseOwnHostIsNotKnownDoesNotStart() {
    assertThatThrownBy(() -> MemberSetup.network(config("g1")))
        .isInstanceOf(LogException.class)
        .hasMessageContaining(
            "group.members: g1 at no.such.host.invalid:7666: the host name is not known");
  }

  /** It may be gone for good, with its name. */
  @Test
  void anotherWhoseHostIsNotKnownIsNotLookedFor() {
    assertThat(MemberSetup.network(config("g2")).hosts())
        .containsExactly(new InetSocketAddress(InetAddress.getLoopbackAddress(), 7666));
  }
}

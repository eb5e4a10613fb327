package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.node.backup.Takeover;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A new group begins with what another GTM left. */
class GroupTakeoverIT {
  private static final int NEXT_GXID = 1_234_567;
  private static final Takeover TAKEOVER =
      new Takeover(
          NEXT_GXID,
          3,
          List.of(
              new SequenceCommand.Restore("d.s.up\0", 1, 1, 1_000, 1, 41, false, true),
              new SequenceCommand.Restore("d.s.down\0", -2, -1_000, -1, -1, -1, false, false)));

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(names = {"FIFO", "LAZY", "TOTAL"})
  void gxidsAndValuesGoOnWhereTheyWereAlsoAfterARestart(GroupMode mode) throws Exception {
    int last;
    try (TestNodes nodes = TestNodes.three(folder, mode).startAll(TAKEOVER)) {
      try (GtmClient client = GtmClient.connect(nodes.server(nodes.follower()).address())) {
        last = client.begin();
        assertThat(last).isEqualTo(NEXT_GXID);
        assertThat(client.nextValue("d.s.up\0")).isEqualTo(42);
        assertThat(client.nextValue("d.s.down\0")).isEqualTo(-1);
        assertThat(client.commit(last)).isTrue();
      }
      String again = nodes.follower();
      nodes.stop(again);
      assertThatThrownBy(() -> nodes.start(again, TAKEOVER))
          .isInstanceOf(LogException.class)
          .hasMessageContaining("or start without --import-control");
      nodes.start(again);
      try (GtmClient client = GtmClient.connect(nodes.server(again).address())) {
        assertThat(client.begin()).isGreaterThan(last);
        assertThat(client.nextValue("d.s.up\0")).isEqualTo(43);
        assertThat(client.nextValue("d.s.down\0")).isEqualTo(-3);
      }
    }
  }
}

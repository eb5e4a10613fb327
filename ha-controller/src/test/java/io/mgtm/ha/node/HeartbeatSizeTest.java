package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.CopyReport;
import io.mgtm.ha.core.DiskReport;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.HeartbeatSize;
import io.mgtm.ha.core.Mark;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.core.Seen;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import io.mgtm.ha.model.Timing;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HeartbeatSizeTest {
  private static final long EPOCH = 9_999_999_999_999L;

  /** What facts and sentences have at least. */
  private static final int ROOM = 8_192;

  private static final Mark MARK = new Mark(EPOCH, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
  private static final CopyReport COPY =
      new CopyReport("Inconsistent", MARK, Set.of("a", "b"), Set.of("a", "b"));
  private static final Report WORST =
      new Report(
          State.FAILED,
          EPOCH,
          Integer.MAX_VALUE,
          "database",
          "…",
          true,
          Map.of("disk", ResourceState.STOPPING, "database", ResourceState.STARTING),
          Map.of("disk", COPY),
          Map.of("disk", Map.of(), "database", Map.of()));

  private static ClusterConfig config(int hierarchies) {
    Hierarchy one =
        new Hierarchy(
            List.of("a", "b"),
            Policy.defaults(),
            Map.of(
                "disk", new Resource("volume", List.of(), Map.of(), Map.of()),
                "database", new Resource("postgresql", List.of("disk"), Map.of(), Map.of())));
    Map<String, Hierarchy> all = new LinkedHashMap<>();
    for (int i = 0; i < hierarchies; i++) {
      all.put("orders" + i, one);
    }
    Node node = new Node("", false, null, List.of(), null, "");
    return new ClusterConfig(
        "shop", Timing.defaults(), Map.of("a", node, "b", node), all, "/dev/disk");
  }

  /** The most that is accepted, with everything that is not a name at its longest. */
  @Test
  void whatIsAcceptedFitsIntoADatagram() {
    int most = 1;
    while (HeartbeatSize.refusal(config(most + 1)).isEmpty()) {
      most++;
    }
    assertThat(most).isGreaterThan(50);
    Map<String, Report> reports = new LinkedHashMap<>();
    config(most).hierarchies().keySet().forEach(name -> reports.put(name, WORST));
    Heartbeat heartbeat =
        new Heartbeat(
            "shop",
            "a",
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            Long.MAX_VALUE,
            new Seen(Long.MAX_VALUE, Long.MAX_VALUE),
            Long.MAX_VALUE,
            reports,
            new DiskReport(
                new UUID(-1, -1), Integer.MAX_VALUE, Long.MAX_VALUE, "\u0001".repeat(1_000)));
    byte[] sealed = new Sealed("shop", "secret").seal(Sealed.HEARTBEAT, Codec.bytes(heartbeat));
    assertThat(sealed.length + ROOM)
        .isBetween(HeartbeatSize.DATAGRAM_BYTES_MAX * 3 / 4, HeartbeatSize.DATAGRAM_BYTES_MAX);
    assertThat(HeartbeatSize.refusal(config(most + 1)))
        .contains("the %d hierarchies of node ".formatted(most + 1), "may make a heartbeat of ");
  }
}

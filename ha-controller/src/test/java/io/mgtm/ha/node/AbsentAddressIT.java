package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import io.mgtm.ha.core.Grant;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.Seen;
import io.mgtm.ha.kit.Rig;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Timing;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Controllers that start while their machine does not have all of its addresses. */
class AbsentAddressIT {
  private static final long PID = ProcessHandle.current().pid();
  private static final String DEVICE = "ma" + Long.toString(PID, 36);
  private static final String NET = "198.18.%d.".formatted(PID % 250);

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = loops.next();
  private final int port = OwnAddress.port();
  private final int otherPort = OwnAddress.port();
  private final Set<String> heardBy = ConcurrentHashMap.newKeySet();

  @BeforeEach
  void makeDevice() throws Exception {
    Rig.need("ip");
    Rig.shell(
        "ip link add %1$s type veth peer name %1$sp && ip link set %1$s up && ip link set %1$sp up"
            .formatted(DEVICE));
    Rig.shell("ip address add %s6/24 dev %s".formatted(NET, DEVICE));
  }

  @AfterEach
  void removeDevice() throws Exception {
    Rig.shell("ip link del %s".formatted(DEVICE));
    loops.shutdownGracefully().syncUninterruptibly();
  }

  private ClusterConfig config(String ofA) {
    Map<String, Node> nodes = new LinkedHashMap<>();
    nodes.put("a", node(port, ofA));
    nodes.put("b", node(otherPort, NET + 6));
    return new ClusterConfig("test", Timing.defaults(), nodes, Map.of());
  }

  private static Node node(int at, String second) {
    HostPort first = new HostPort(OwnAddress.HOST, at);
    return new Node("", false, first, List.of(first, new HostPort(second, at)), first, "");
  }

  private Paths open(String name, ClusterConfig config) throws IOException {
    Paths.Listener listener =
        new Paths.Listener() {
          @Override
          public void heard(Heartbeat heartbeat, String path) {
            heardBy.add(name + " on " + path);
          }

          @Override
          public void granted(Grant grant) {}
        };
    return Paths.open(name, config, new Sealed("test", "secret"), loop, listener);
  }

  private boolean isHeard(Paths from, String node, String by) {
    loop.submit(
            () -> from.send(new Heartbeat("test", node, 1, 1, 1, Seen.NOTHING, 0, Map.of(), null)))
        .syncUninterruptibly();
    return heardBy.contains(by);
  }

  @Test
  void aFurtherOneIsWaitedFor() throws Exception {
    ClusterConfig config = config(NET + 5);
    try (Paths a = open("a", config);
        Paths b = open("b", config)) {
      Await.until("a hears b", () -> isHeard(b, "b", "a on path1"));
      Await.until("b hears a", () -> isHeard(a, "a", "b on path1"));
      assertThat(heardBy).containsExactlyInAnyOrder("a on path1", "b on path1");

      Rig.shell("ip address add %s5/24 dev %s".formatted(NET, DEVICE));
      Await.until("a hears b there", () -> isHeard(b, "b", "a on path2"));
      Await.until("b hears a there", () -> isHeard(a, "a", "b on path2"));
    }
  }

  /** The controllers' log is spoken there. */
  @Test
  void theFirstOneIsNeeded() {
    HostPort absent = new HostPort(NET + 7, port);
    Node node = new Node("", false, absent, List.of(absent), absent, "");
    ClusterConfig config =
        new ClusterConfig("test", Timing.defaults(), Map.of("a", node), Map.of());
    assertThatThrownBy(() -> open("a", config))
        .hasMessageContaining("cannot listen for heartbeats on UDP " + absent);
  }
}

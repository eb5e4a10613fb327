package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses on one end of a pair of devices, whose other end is another machine's. */
class IpKitIT {
  private static final String ID = Long.toString(ProcessHandle.current().pid(), 36);
  private static final String HERE = "mh" + ID;
  private static final String THERE = "mt" + ID;
  private static final String OTHER = "mgtm-ip-" + ID;
  private static final String FOURTH = "198.18.%d.%d/24";

  @TempDir Path folder;
  private final IpKit kit = new IpKit();
  private Rig rig;
  private KitContext fourth;
  private KitContext sixth;

  @BeforeEach
  void connect() throws Exception {
    Rig.need("ip", "arping");
    rig = new Rig(folder);
    Rig.run("ip", "netns", "add", OTHER);
    Rig.run("ip", "link", "add", HERE, "type", "veth", "peer", "name", THERE, "netns", OTHER);
    Rig.run("ip", "link", "set", HERE, "up");
    Rig.run("ip", "-n", OTHER, "link", "set", THERE, "up");
    int net = (int) (ProcessHandle.current().pid() % 250);
    fourth = rig.context("ip4", Map.of("address", FOURTH.formatted(net, 5), "device", HERE));
    sixth = rig.context("ip6", Map.of("address", "fd5a:%x::5/64".formatted(net), "device", HERE));
    Await.until(
        "the line is up", () -> Rig.shell("cat /sys/class/net/" + HERE + "/carrier").equals("1"));
  }

  @AfterEach
  void disconnect() throws Exception {
    Rig.shell("ip link del " + HERE + " 2>/dev/null; ip netns del " + OTHER + "; true");
    if (fourth != null) {
      new Daemon(fourth).kill(Deadline.in(60_000));
      Rig.removeGroup(fourth);
    }
  }

  private static void there(KitContext context) throws Exception {
    String cidr = context.parameters().get("address");
    String last = cidr.contains(":") ? " nodad" : "";
    Rig.shell("ip -n " + OTHER + " address add " + cidr + " dev " + THERE + last);
  }

  @Test
  void isAddedAnnouncedCheckedAndRemoved() throws Exception {
    Rig.assertOut(kit.quickCheck(fourth));
    kit.inService(fourth);
    Rig.assertIn(kit.quickCheck(fourth));
    Rig.assertIn(kit.deepCheck(fourth));
    kit.inService(fourth);

    kit.outOfService(fourth);
    Rig.assertOut(kit.quickCheck(fourth));
    kit.outOfService(fourth);
  }

  @Test
  void neighboursLearnTheNewOwner() throws Exception {
    String cidr = fourth.parameters().get("address");
    String host = cidr.substring(0, cidr.indexOf('/'));
    Rig.shell("ip -n " + OTHER + " address add " + cidr.replace(".5/", ".9/") + " dev " + THERE);
    Rig.shell(
        "ip -n %s neigh add %s lladdr 02:00:00:00:00:01 dev %s nud reachable"
            .formatted(OTHER, host, THERE));
    String mac = Rig.shell("cat /sys/class/net/" + HERE + "/address");

    kit.inService(fourth);

    Await.until(
        "the neighbour knows",
        () -> Rig.shell("ip -n " + OTHER + " neigh show " + host).contains(mac));
    kit.outOfService(fourth);
  }

  @Test
  void addressOfAnotherMachineIsNotAdded() throws Exception {
    there(fourth);

    assertThatThrownBy(() -> kit.inService(fourth))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("is in use by another machine on " + HERE);
    Rig.assertOut(kit.quickCheck(fourth));
  }

  @Test
  void deepCheckSeesThatAnotherMachineHasItToo() throws Exception {
    kit.inService(fourth);
    there(fourth);

    Rig.assertIn(kit.quickCheck(fourth));
    Rig.assertFailed(kit.deepCheck(fourth));
    kit.outOfService(fourth);
  }

  @Test
  void sixthVersionIsAddedAndRemoved() throws Exception {
    kit.inService(sixth);
    Rig.assertIn(kit.deepCheck(sixth));
    kit.outOfService(sixth);
    Rig.assertOut(kit.quickCheck(sixth));
  }

  @Test
  void sixthVersionOfAnotherMachineIsNotKept() throws Exception {
    there(sixth);

    assertThatThrownBy(() -> kit.inService(sixth))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("is in use by another machine on " + HERE);
    Rig.assertOut(kit.quickCheck(sixth));
  }

  @Test
  void lineThatIsCutIsAFailure() throws Exception {
    kit.inService(fourth);
    Rig.run("ip", "-n", OTHER, "link", "set", THERE, "down");

    Await.until("it is seen", () -> kit.quickCheck(fourth).state() == Kit.Health.State.FAILED);
    assertThat(kit.quickCheck(fourth).detail()).contains("no carrier");
    assertThatThrownBy(() -> kit.localRecover(fourth))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("has no carrier")
        .hasMessageContaining("cannot be repaired here");
    kit.outOfService(fourth);
  }

  @Test
  void deviceThatWasSetDownIsSetUpAgain() throws Exception {
    kit.inService(fourth);
    Rig.run("ip", "link", "set", HERE, "down");
    Rig.assertFailed(kit.quickCheck(fourth));

    kit.outOfService(fourth);
    Rig.assertOut(kit.quickCheck(fourth));
    kit.inService(fourth);

    Rig.assertIn(kit.deepCheck(fourth));
    kit.outOfService(fourth);
  }

  @Test
  void guardRemovesIt() throws Exception {
    kit.inService(fourth);
    Rig.guard(kit, fourth);
    Rig.assertOut(kit.quickCheck(fourth));
  }

  @Test
  void wrongDeviceOrAddressIsSaid() {
    KitContext device = rig.context("x", Map.of("address", "10.0.0.1/24", "device", "nosuch0"));
    KitContext address = rig.context("x", Map.of("address", "somewhere/24", "device", HERE));

    assertThatThrownBy(() -> kit.inService(device))
        .hasMessageContaining("no network device nosuch0");
    assertThatThrownBy(() -> kit.inService(address)).hasMessageContaining("such as 10.0.0.5/24");
  }
}

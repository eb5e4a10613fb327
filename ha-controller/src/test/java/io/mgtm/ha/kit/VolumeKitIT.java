package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.Signals;
import io.mgtm.testing.Await;
import io.mgtm.testing.ClassArchive;
import io.mgtm.testing.OwnAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two copies of a volume, each with a real agent. */
class VolumeKitIT {
  private static final Path JAR = Path.of("../replication/block/target/mgtm-volume.jar");

  @TempDir Path folder;
  private final VolumeKit kit = new VolumeKit();
  private KitContext left;
  private KitContext right;

  @BeforeEach
  void describe() throws Exception {
    Rig rig = new Rig(folder);
    List<InetSocketAddress> at = OwnAddress.addresses(2);
    String copies = "left=%s,right=%s".formatted(address(at.get(0)), address(at.get(1)));
    left = copy(rig, "left", copies);
    right = copy(rig, "right", copies);
    try {
      Jars.command(left, "mgtm-volume.jar", "replication/block");
    } catch (KitException e) {
      left = null;
      Rig.needThat(false, "mgtm-volume.jar is not built");
    }
  }

  private static String address(InetSocketAddress of) {
    return of.getHostString() + ":" + of.getPort();
  }

  private KitContext copy(Rig rig, String name, String copies) throws Exception {
    Path own = Files.createDirectories(folder.resolve(name));
    Path key = Files.writeString(folder.resolve("link.key"), "5ec2e7".repeat(11).substring(0, 64));
    return on(
        name,
        rig.context(
            name,
            Map.of(
                "volume",
                "v1",
                "file",
                own.resolve("disk").toString(),
                "size",
                "8M",
                "listen",
                "unix:" + own.resolve("nbd"),
                "copies",
                copies,
                "linkKey",
                key.toString(),
                "pathTimeoutMs",
                "60000",
                "javaOptions",
                ClassArchive.startFast(JAR) + " -Xmx96m -Duser.home=" + own)));
  }

  private static KitContext on(String node, KitContext context) {
    return with(node, context.parameters(), context.deadlineMs(), context);
  }

  private static KitContext with(
      String node, Map<String, String> parameters, long deadlineMs, KitContext context) {
    return new KitContext(
        context.hierarchy(),
        context.resource(),
        node,
        context.peers(),
        parameters,
        context.runtime(),
        deadlineMs);
  }

  @AfterEach
  void end() throws Exception {
    if (left != null) {
      new Daemon(left).kill(Deadline.in(120_000));
      new Daemon(right).kill(Deadline.in(120_000));
      Rig.removeGroup(left);
      Rig.removeGroup(right);
    }
  }

  private static KitContext told(KitContext context, String name) {
    Map<String, String> more = new HashMap<>(context.parameters());
    more.put(name, "true");
    return with(context.node(), more, context.deadlineMs(), context);
  }

  /** Both sides know it; the primary last. */
  private void awaitInStep(KitContext primary, KitContext secondary) {
    Await.until(
        "the other copy is up to date",
        () ->
            kit.data(secondary).get("copy").equals("UpToDate")
                && kit.data(primary).get("inSync").equals(secondary.node()));
  }

  @Test
  void copiesStartAsSecondariesAndOneIsPromotedAndHandsOver() throws Exception {
    Rig.assertOut(kit.quickCheck(left));
    assertThat(kit.data(left)).containsEntry("role", "secondary");
    assertThat(kit.data(right)).containsEntry("role", "secondary");

    kit.inService(left);
    Rig.assertIn(kit.quickCheck(left));
    Rig.assertOut(kit.quickCheck(right));
    awaitInStep(left, right);
    Map<String, String> data = kit.data(left);
    assertThat(data).containsEntry("copy", "UpToDate").containsEntry("sizeBytes", "8388608");
    assertThat(data.get("generation")).matches("[0-9a-f]{16}");
    assertThat(kit.data(right)).containsEntry("generation", data.get("generation"));
    assertThat(data).containsEntry("inSync", "right");

    kit.outOfService(left);
    Rig.assertOut(kit.quickCheck(left));
    kit.inService(right);
    Rig.assertIn(kit.quickCheck(right));
    assertThat(kit.data(right).get("generation")).isNotEqualTo(data.get("generation"));
  }

  @Test
  void copyWhosePrimaryDiedIsPromotedOnlyWhenItIsVouchedFor() throws Exception {
    kit.data(right);
    kit.data(left);
    kit.inService(left);
    awaitInStep(left, right);

    new Daemon(left).kill(Deadline.in(60_000));
    Await.until("the other has noticed", () -> kit.data(right).get("copy").equals("Consistent"));

    assertThatThrownBy(() -> kit.inService(right))
        .isInstanceOf(KitException.class)
        .hasMessageContaining("whose copy here is Consistent, was not promoted");
    kit.inService(told(right, VolumeKit.VOUCHED));
    Rig.assertIn(kit.quickCheck(right));

    // The old primary returns and finds that it was replaced.
    kit.data(left);
    awaitInStep(right, left);
    Rig.assertOut(kit.quickCheck(left));
  }

  @Test
  @Tag("long")
  void outdatedCopyIsPromotedOnlyWhenLossIsAccepted() throws Exception {
    kit.data(right);
    kit.data(left);
    kit.inService(left);
    awaitInStep(left, right);
    // Cut off while the primary lives, which marks it.
    Signals.send(new Daemon(right).processes().get(0).pid(), "STOP");
    new Daemon(right).kill(Deadline.in(60_000));
    Await.until(
        "the primary goes on alone",
        () -> kit.data(left).get("warning").startsWith("NOT PROTECTED"));
    new Daemon(left).kill(Deadline.in(60_000));
    String state = kit.data(right).get("copy");

    assertThat(state).isIn("Outdated", "Consistent");
    assertThatThrownBy(() -> kit.inService(right)).isInstanceOf(KitException.class);
    if (state.equals("Outdated")) {
      assertThatThrownBy(() -> kit.inService(told(right, VolumeKit.VOUCHED)))
          .isInstanceOf(KitException.class);
    }
    kit.inService(told(right, VolumeKit.ACCEPT_LOSS));
    Rig.assertIn(kit.quickCheck(right));
  }

  @Test
  @Tag("long")
  void killedAgentComesBackInServiceAndIsEndedByItsGuard() throws Exception {
    kit.data(right);
    kit.data(left);
    kit.inService(left);
    awaitInStep(left, right);
    new Daemon(left).kill(Deadline.in(60_000));
    Rig.assertOut(kit.quickCheck(left));

    kit.localRecover(left);

    Rig.assertIn(kit.quickCheck(left));

    Rig.guard(kit, left);

    assertThat(new Daemon(left).isRunning()).isFalse();
    Rig.assertOut(kit.quickCheck(left));
  }

  private static List<String> arguments(KitContext of) {
    return new Daemon(of).processes().get(0).arguments();
  }

  /** Parameters that have changed reach an agent where it serves nobody, and lose nothing. */
  @Test
  @Tag("long")
  void agentWithFormerParametersBeginsAgainOnceItIsSecondary() throws Exception {
    kit.data(right);
    kit.data(left);
    kit.inService(left);
    awaitInStep(left, right);
    KitContext newLeft = withCompression(left);
    KitContext newRight = withCompression(right);

    kit.quickCheck(newRight);
    kit.data(told(newRight, VolumeKit.LOOKS));
    assertThat(arguments(right)).doesNotContain("zstd");
    kit.data(newRight);
    assertThat(arguments(right)).contains("zstd");
    assertThat(kit.data(newLeft).get("warning")).contains("runs with former parameters");
    assertThat(arguments(left)).doesNotContain("zstd");
    awaitInStep(left, newRight);

    kit.outOfService(newLeft);
    kit.data(newLeft);
    assertThat(arguments(left)).contains("zstd");
    kit.inService(newRight);
    awaitInStep(newRight, newLeft);
    assertThat(kit.data(newRight).get("warning")).isNullOrEmpty();
  }

  private static KitContext withCompression(KitContext context) {
    Map<String, String> more = new HashMap<>(context.parameters());
    more.put("options", "--compress zstd");
    return with(context.node(), more, context.deadlineMs(), context);
  }

  @Test
  @Tag("long")
  void hungAgentFailsItsCheckAndIsTakenOut() throws Exception {
    kit.data(right);
    kit.data(left);
    kit.inService(left);
    Signals.send(new Daemon(left).processes().get(0).pid(), "STOP");
    KitContext hasty = with("left", left.parameters(), 2_000, left);

    Rig.assertFailed(kit.quickCheck(hasty));
    // Half of the time is for an answer.
    kit.outOfService(with("left", left.parameters(), 20_000, left));
    Rig.assertOut(kit.quickCheck(left));
  }
}

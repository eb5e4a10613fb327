package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.CopyReport;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.LeaderEffects.Reply.Outcome;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.kit.Daemon;
import io.mgtm.ha.kit.KitContext;
import io.mgtm.ha.kit.Kits;
import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.kit.Rig;
import io.mgtm.ha.kit.VolumeKit;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Resource;
import io.mgtm.testing.Await;
import io.mgtm.testing.ClassArchive;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real controllers and the real agents of a volume: who goes on without a copy, and when. */
class VolumeFenceIT {
  private static final String HIERARCHY = "orders";
  private static final String RESOURCE = "disk";

  @TempDir private Path folder;
  private LocalCluster cluster;

  @BeforeEach
  void startOnA() throws Exception {
    Rig.needThat(Files.isExecutable(Path.of("/usr/bin/qemu-io")), "qemu-io is not installed");
    Path jar = Path.of("../replication/block/target/mgtm-volume.jar").toAbsolutePath().normalize();
    Rig.needThat(Files.exists(jar), "mgtm-volume.jar is not built");
    String key = "5ec2e7".repeat(11).substring(0, 64);
    Files.writeString(folder.resolve("link.key"), key);
    List<InetSocketAddress> at = OwnAddress.addresses(2);
    cluster =
        new LocalCluster(
            folder,
            List.of("a", "b", "c"),
            """
            hierarchies:
              orders:
                nodes: [a, b]
                resources:
                  disk:
                    kit: volume
                    parameters:
                      volume: v1
                      size: 8M
                      linkKey: %1$s/link.key
                      copies: "a=%2$s,b=%3$s"
                      jar: %4$s
                      javaOptions: "%5$s -Xmx96m -Duser.home=%1$s"
                      pathTimeoutMs: 60000
                    at:
                      a: {file: %1$s/disk-a, listen: "unix:%1$s/nbd-a"}
                      b: {file: %1$s/disk-b, listen: "unix:%1$s/nbd-b"}
            """
                .formatted(
                    folder,
                    address(at.get(0)),
                    address(at.get(1)),
                    jar,
                    ClassArchive.startFast(jar)),
            Kits::of);
    fill();
    cluster.start("a", "b", "c");
    awaitIn("a");
    awaitUpToDate("a", "a", "b");
  }

  /** As docs/ha.md says: the agents know which copies are the newest before controllers run. */
  private void fill() throws Exception {
    VolumeKit kit = new VolumeKit();
    kit.data(context("b"));
    kit.data(context("a"));
    kit.inService(context("a"));
    Await.until("in sync", () -> kit.data(context("a")).get("inSync").equals("b"));
    // A client waits until that is so, or somebody has noted that it is not.
    assertThat(write("a", 1).ended()).isTrue();
    kit.outOfService(context("a"));
  }

  private KitContext context(String node) {
    return new KitContext(
        HIERARCHY,
        RESOURCE,
        node,
        List.of(),
        cluster.config().hierarchies().get(HIERARCHY).resources().get(RESOURCE).parametersOn(node),
        work(node),
        120_000);
  }

  private static String address(InetSocketAddress of) {
    return of.getHostString() + ":" + of.getPort();
  }

  private Path work(String node) {
    return Processes.real(cluster.runtime(node).resolve(HIERARCHY).resolve(RESOURCE));
  }

  @AfterEach
  void stopAll() {
    if (cluster == null) {
      return;
    }
    cluster.close();
    for (String node : List.of("a", "b")) {
      killAgent(node);
      Await.until("its control group is gone", () -> new Daemon(context(node)).removeGroup());
    }
  }

  /** Its machine dies: no watchdog is left there either, which would end this process. */
  private void killMachine(String node) {
    cluster.stop(node);
    Path watchdog = Processes.real(cluster.runtime(node).resolve("watchdog"));
    Await.until(
        "its watchdog is gone", () -> Processes.kill(one -> one.worksIn(watchdog, "")) == 0);
    killAgent(node);
  }

  private void killAgent(String node) {
    Await.until("its agent is gone", () -> Processes.kill(one -> one.worksIn(work(node), "")) == 0);
  }

  private Optional<CopyReport> copy(String node) {
    ClusterView.NodeStatus status =
        cluster.node(cluster.leader().orElse("a")).view().nodes().get(node);
    Report report = status == null ? null : status.reports().get(HIERARCHY);
    return report == null ? Optional.empty() : Optional.ofNullable(report.copies().get(RESOURCE));
  }

  private void awaitIn(String node) {
    Await.until(
        "in service on " + node, () -> cluster.state(node, node, HIERARCHY) == Report.State.IN);
  }

  private Copies state(String seenBy) {
    return cluster
        .node(seenBy)
        .view()
        .state()
        .copies()
        .getOrDefault(HIERARCHY, Map.of())
        .getOrDefault(RESOURCE, new Copies(null, Set.of(), Set.of(), Map.of()));
  }

  private void awaitUpToDate(String seenBy, String... nodes) {
    Await.until(
        "the state has it that these are up to date: " + List.of(nodes),
        () -> List.copyOf(state(seenBy).upToDate()).equals(List.of(nodes)));
  }

  /** A client that writes a block of one byte's value. */
  private record Client(Process process, Path log) {
    /** Waits until it has ended; whether it has written. */
    boolean ended() throws IOException, InterruptedException {
      process.waitFor();
      return Files.readString(log, StandardCharsets.UTF_8).contains("wrote 4096/4096");
    }
  }

  private Client client(String node, String command) throws IOException {
    Path log = Files.createTempFile(folder, "client", "log");
    Process process =
        new ProcessBuilder(
                "qemu-io",
                "-f",
                "raw",
                "-c",
                command,
                "nbd+unix:///v1?socket=" + folder.resolve("nbd-" + node))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new Client(process, log);
  }

  private Client write(String node, int value) throws IOException {
    return client(node, "write -f -P " + value + " 0 4096");
  }

  private boolean has(String node, int value) throws IOException, InterruptedException {
    Client client = client(node, "read -P " + value + " 0 4096");
    client.process().waitFor();
    String said = Files.readString(client.log());
    return said.contains("read 4096/4096") && !said.contains("Pattern verification failed");
  }

  /** The copy of b is gone, and nobody brings it back. */
  private void loseB() {
    cluster.stop("b");
    killAgent("b");
  }

  @Test
  void primaryThatLosesItsReplicaGoesOnOnceTheStateHasTheMark() throws Exception {
    loseB();

    assertThat(write("a", 2).ended()).isTrue();
    assertThat(state("a").upToDate()).containsExactly("a");
    assertThat(state("a").outdated()).containsOnlyKeys("b");

    cluster.start("b");
    awaitUpToDate("a", "a", "b");
    assertThat(state("a").outdated()).isEmpty();
  }

  @Test
  @Tag("long")
  void primaryWithoutALeaderDoesNotGoOn() throws Exception {
    cluster.stop("b");
    cluster.stop("c");
    // Only now, when nobody is left to agree on the mark.
    killAgent("b");

    Client client = write("a", 2);
    Await.until("it says that it has lost b", () -> copy("a").orElseThrow().inSync().size() == 1);
    assertThat(client.ended()).isFalse();
    assertThat(state("a").upToDate()).containsExactly("a", "b");
  }

  /** It died with what only it had: nobody but an operator gives that up. */
  @Test
  @Tag("long")
  void copyThatWasLeftBehindIsUsedOnlyWhereItsLossIsAccepted() throws Exception {
    loseB();
    assertThat(write("a", 2).ended()).isTrue();
    killMachine("a");
    cluster.start("b");
    Await.until(
        "it is said why it waits",
        () ->
            cluster
                .node("b")
                .view()
                .state()
                .placements()
                .get(HIERARCHY)
                .waiting()
                .contains("b its copy of disk is Outdated: it lacks what was acknowledged since"));

    assertThat(cluster.ask(new Switchover(HIERARCHY, "b", true)).outcome()).isEqualTo(Outcome.DONE);
    awaitIn("b");
    assertThat(has("b", 1)).isTrue();
  }

  @Test
  @Tag("long")
  void copyInSyncIsVouchedForWhenItsPrimaryDies() throws Exception {
    killMachine("a");

    awaitIn("b");
    assertThat(has("b", 1)).isTrue();
    Client client = write("b", 3);
    assertThat(client.ended()).isTrue();
    assertThat(state("b").upToDate()).containsExactly("b");
  }

  private void done(OperatorCommand command) {
    Await.until("done: " + command, () -> cluster.ask(command).outcome() == Outcome.DONE);
  }

  private ClusterConfig moved(String copies) {
    Hierarchy was = cluster.config().hierarchies().get(HIERARCHY);
    Resource disk = was.resources().get(RESOURCE);
    Map<String, String> parameters = new LinkedHashMap<>(disk.parameters());
    parameters.put("copies", copies);
    Resource other = new Resource(disk.kit(), disk.on(), parameters, disk.at());
    Hierarchy is = new Hierarchy(was.nodes(), was.policy(), Map.of(RESOURCE, other));
    return cluster.config().withHierarchies(Map.of(HIERARCHY, is));
  }

  /** As when they move to another network; the log of each controller begins with the former. */
  @Test
  @Tag("long")
  void copiesThatMoveReachAgentsAndAControllerThatStartsAgain() throws Exception {
    List<InetSocketAddress> at = OwnAddress.addresses(2);
    String copies = "a=%s,b=%s".formatted(address(at.get(0)), address(at.get(1)));
    long version = cluster.node("a").view().state().configVersion();
    done(new Stop(HIERARCHY));
    Await.until(
        "it is out", () -> cluster.state("a", "a", HIERARCHY) == Report.State.OUT && !isPlaced());
    done(new Configure(moved(copies), version));
    done(new Start(HIERARCHY, "", false));
    String on = cluster.awaitWhere(HIERARCHY);
    awaitUpToDate("c", "a", "b");
    assertThat(write(on, 5).ended()).isTrue();

    long before = state("c").mark().incarnation();
    cluster.stop(on);
    cluster.start(on);
    awaitIn(on);
    Await.until(
        "the state has what its new controller has said",
        () -> state("c").mark().incarnation() > before);
    assertThat(state("c").upToDate()).containsExactly("a", "b");
    assertThat(state("c").outdated()).isEmpty();
    assertThat(has(on, 5)).isTrue();
  }

  private boolean isPlaced() {
    return !cluster.node("a").view().state().placements().get(HIERARCHY).node().isEmpty();
  }
}

package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThatCode;

import io.mgtm.group.quorumdisk.DiskException;
import io.mgtm.group.quorumdisk.QuorumDisk;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two controllers and a disk that both reach, with their real log and paths. */
class QuorumDiskIT {
  private static final List<String> PAIR = List.of("a", "b");

  @TempDir private Path folder;
  private Path disk;
  private LocalCluster cluster;

  @BeforeEach
  void startBoth() throws Exception {
    disk = folder.resolve("disk");
    assumeThatCode(() -> QuorumDisk.create(disk, "test", PAIR, false))
        .as("a file system with direct access")
        .doesNotThrowAnyException();
    String more =
        """
        quorumDisk: %s
        hierarchies:
          orders:
            nodes: [a, b]
            resources:
              server: {kit: fake}
        """
            .formatted(disk);
    cluster = new LocalCluster(folder, PAIR, more);
    cluster.start("a", "b");
    Await.until("in service", () -> cluster.where("orders").isPresent());
    Await.until("the disk votes", () -> PAIR.stream().allMatch(this::isWhole));
  }

  @AfterEach
  void stopBoth() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private boolean isWhole(String node) {
    ClusterView view = cluster.node(node).view();
    return view.connected().contains(ClusterConfig.QUORUM_DISK)
        && Set.copyOf(view.voters()).equals(Set.of("a", "b", ClusterConfig.QUORUM_DISK));
  }

  /**
   * What one agreed with the disk alone it still knows when it comes back, and so does the other.
   */
  @Test
  void oneGoesOnWithTheDiskAndSoDoesTheOther() throws Exception {
    String here = cluster.where("orders").orElseThrow();
    String there = here.equals("a") ? "b" : "a";

    cluster.stop(here);
    Await.until("the other has it", () -> cluster.state(there, there, "orders") == Report.State.IN);
    long epoch = cluster.epoch(there, "orders");

    cluster.stop(there);
    cluster.start(here);
    // It lacks what the other agreed on with the disk, which votes for nobody who does.
    Await.until(
        "it knows that it may not lead",
        () ->
            cluster.node(here).view().connected().contains(ClusterConfig.QUORUM_DISK)
                && cluster.node(here).view().leader().isEmpty()
                && !cluster.node(here).view().warnings().isEmpty());
    cluster.start(there);
    Await.until("in service", () -> cluster.where("orders").isPresent());
    Await.until("it has caught up", () -> cluster.epoch(here, "orders") >= epoch);
  }

  @Test
  void aReplacedMachineNeedsAPlaceOfItsOwn() throws Exception {
    String here = cluster.where("orders").orElseThrow();
    String there = here.equals("a") ? "b" : "a";
    cluster.stop(there);
    Files.move(folder.resolve(there).resolve("data"), folder.resolve("old"));
    cluster.start(there);
    Await.until(
        "it is told",
        () ->
            cluster.node(there).view().warnings().stream()
                .anyMatch(warning -> warning.contains("quorum-disk renew " + there)));

    QuorumDisk.renew(disk, there);

    Await.until("the disk votes", () -> PAIR.stream().allMatch(this::isWhole));
    assertThat(cluster.where("orders")).hasValue(here);
  }

  /** Two are a majority without it. */
  @Test
  void aDiskThatCannotBeReadIsToldAndStopsNothing() throws Exception {
    String here = cluster.where("orders").orElseThrow();
    Path elsewhere = folder.resolve("elsewhere");
    Files.move(disk, elsewhere);
    cluster.stop("a");
    cluster.start("a");
    Await.until(
        "it is told",
        () ->
            cluster.node("a").view().warnings().stream()
                .anyMatch(warning -> warning.contains("cannot open " + disk)));
    Await.until("in service", () -> cluster.where("orders").equals(Optional.of(here)));
    // The other holds it open, and hears of it.
    Await.until("the other tells it", () -> tells("b", "does not vote for a: cannot open"));
    Await.until("it is recorded", () -> isRecorded("a gets no vote of the quorum disk"));

    Files.move(elsewhere, disk);
    Await.until("the disk votes", () -> PAIR.stream().allMatch(this::isWhole));
    Await.until("nobody tells it", () -> !tells("b", "does not vote for a"));
    Await.until("it is recorded", () -> isRecorded("a gets votes of the quorum disk again"));
  }

  private boolean tells(String node, String warning) {
    return cluster.node(node).view().warnings().stream().anyMatch(each -> each.contains(warning));
  }

  private boolean isRecorded(String event) {
    return cluster.node("b").view().state().events().stream()
        .anyMatch(each -> (each.subject() + " " + each.what()).equals(event));
  }

  @Test
  void aDiskThatIsMadeAnewVotesAgain() throws Exception {
    String here = cluster.where("orders").orElseThrow();
    assertThat(QuorumDisk.votes(disk)).isTrue();
    QuorumDisk.create(disk, "test", PAIR, true);
    Await.until("the new one votes", () -> described().contains(", votes"));

    cluster.stop(here.equals("a") ? "b" : "a");
    Await.until("one leads beside it", () -> cluster.node(here).view().leader().equals(here));
    assertThat(cluster.where("orders")).hasValue(here);
  }

  private String described() {
    try (QuorumDisk open = QuorumDisk.open(disk)) {
      return String.join("\n", open.describe());
    } catch (DiskException e) {
      return e.getMessage(); // it is being made
    }
  }

  @Test
  void itsNameIsThatOfTheGroupsMember() {
    assertThat(ClusterConfig.QUORUM_DISK).isEqualTo(QuorumDisk.MEMBER);
  }
}

package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Maintain;
import io.mgtm.ha.core.OperatorCommand.Scope;
import io.mgtm.ha.kit.Rig;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk below one controller's log is full. */
@Tag("long")
class FullDiskIT {
  private static final int LONG_CHARS = 60_000;

  @TempDir private Path folder;
  private Path disk;
  private LocalCluster cluster;
  private int number = 1_000;

  @BeforeEach
  void start() throws Exception {
    Rig.need("mount");
    disk = Files.createDirectories(folder.resolve("a"));
    Rig.shell("mount -t tmpfs -o size=64m mgtm " + disk);
    cluster =
        new LocalCluster(
            folder,
            List.of("a", "b", "c"),
            "hierarchies: {orders: {nodes: [b, c], resources: {server: {kit: fake}}}}");
    cluster.start("a", "b", "c");
    Await.until("in service", () -> cluster.where("orders").isPresent());
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    Rig.shell("umount -l " + disk);
  }

  private Path fill() throws IOException {
    Path file = disk.resolve("filler");
    try (OutputStream out = Files.newOutputStream(file)) {
      for (byte[] piece = new byte[4_096]; ; ) {
        out.write(piece);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
    return file;
  }

  /** Another configuration, which takes some room in the log, of something that is out. */
  private boolean isConfigured(int text) {
    ClusterConfig config = cluster.config();
    String many = Integer.toString(text).repeat(LONG_CHARS / 4);
    Resource server = new Resource("fake", List.of(), Map.of("text", many), Map.of());
    Map<String, Hierarchy> hierarchies = new TreeMap<>(config.hierarchies());
    hierarchies.put(
        "other", new Hierarchy(List.of("b"), Policy.defaults(), Map.of("server", server)));
    ClusterConfig next =
        new ClusterConfig(config.cluster(), config.timing(), config.nodes(), hierarchies);
    long version =
        cluster.leader().map(each -> cluster.node(each).view().state().configVersion()).orElse(0L);
    return cluster.ask(new Configure(next, version)).outcome() == Reply.Outcome.DONE;
  }

  private boolean isConfiguredOrFailed(int text) {
    try {
      return isConfigured(text);
    } catch (CompletionException e) {
      return false; // it led, and has failed meanwhile
    }
  }

  private boolean isTold() {
    return Stream.of("b", "c")
        .flatMap(node -> cluster.node(node).view().warnings().stream())
        .anyMatch(
            warning -> warning.matches(".*\\ba is \\d+ entries behind.*free some space there.*"));
  }

  /** One that leads ends, and says why; of one that follows the leader says that it is behind. */
  @Test
  void theOthersGoOnAndItComesBack() throws Exception {
    String where = cluster.where("orders").orElseThrow();
    // So that no other hierarchy is brought in service.
    Await.until(
        "in maintenance",
        () -> cluster.ask(new Maintain(Scope.CLUSTER, "", true)).outcome() == Reply.Outcome.DONE);
    long epoch = cluster.epoch("b", "orders");
    Path filler = fill();
    CompletableFuture<Throwable> failure = cluster.node("a").failure();
    Await.until(
        "it is told",
        () -> {
          isConfiguredOrFailed(number++);
          return failure.isDone() || isTold();
        });
    if (failure.isDone()) {
      assertThat(failure.join()).hasMessageContaining("free some space on that disk");
      cluster.stop("a");
    }
    Await.until("the others decide", () -> isConfiguredOrFailed(number++));
    assertThat(cluster.where("orders")).hasValue(where);
    assertThat(cluster.epoch("b", "orders")).isEqualTo(epoch);

    Files.delete(filler);
    if (failure.isDone()) {
      cluster.start("a");
    }
    Await.until(
        "it knows what was decided",
        () ->
            cluster.leader().isPresent()
                && !isTold()
                && cluster.node("a").view().state().configVersion()
                    == cluster.node("b").view().state().configVersion());
    assertThat(cluster.where("orders")).hasValue(where);
  }
}

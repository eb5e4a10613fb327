package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.ha.core.ActionRefused;
import io.mgtm.ha.core.Batch;
import io.mgtm.ha.core.ClusterCommand;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.CopyReport;
import io.mgtm.ha.core.Decision;
import io.mgtm.ha.core.DiskReport;
import io.mgtm.ha.core.Grant;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.Mark;
import io.mgtm.ha.core.Notified;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.core.Seen;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Node;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Resource;
import io.mgtm.ha.model.Timing;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What the core's records are as JSON, in the log, in checkpoints and on the wire. */
class CoreJsonTest {
  private static final DiskReport DISK = new DiskReport(new UUID(1, 2), 3, 4, "it cannot be read");

  private static final ObjectMapper JSON = new ObjectMapper();

  private static ClusterConfig config(Timing timing) {
    HostPort address = new HostPort("192.0.2.1", 7000);
    Node node = new Node("a", false, address, List.of(address), address, "/dev/watchdog");
    Resource resource = new Resource("ip", List.of(), Map.of("address", "192.0.2.9"), Map.of());
    Hierarchy hierarchy =
        new Hierarchy(List.of("n1", "n2"), Policy.defaults(), Map.of("ip", resource));
    return new ClusterConfig(
        "test", timing, Map.of("n1", node, "n2", node), Map.of("db", hierarchy));
  }

  /** One of each, in an order in which none is refused. */
  private static List<ClusterCommand> commands() {
    return List.of(
        new OperatorCommand.Configure(config(Timing.defaults()), 0),
        new OperatorCommand.Configure(config(new Timing(500, 2_000, 1_000, 5)), 1),
        new ClusterCommand.LeasesOver(77_000),
        new Notified("ops", 1),
        new ActionRefused("db", "shall move to n3", "it cannot run there"),
        new ClusterCommand.Lead(3, "n1"),
        new ClusterCommand.Tick(),
        new ClusterCommand.Silent("n2", true),
        new ClusterCommand.SilentPath("n2", "path2", true),
        new ClusterCommand.Fenced("n2", true, true, "fence_x in 20 ms"),
        new ClusterCommand.Wait("db", "nobody is there"),
        new ClusterCommand.Place("db", "n1", 1, Set.of()),
        new ClusterCommand.MarkCopies("db", "ip", new Mark(1, 2, 3), Set.of("n1"), Set.of()),
        new ClusterCommand.Repaired("db", new Mark(1, 2, 1), "ip was gone"),
        new ClusterCommand.Blame("db", 1, "ip", "is gone", true),
        new ClusterCommand.Pend("db", 1, "n2", 600_000),
        new OperatorCommand.Answer("db", true),
        new ClusterCommand.Unpend("db", 1),
        new ClusterCommand.Pend("db", 1, "n2", Long.MAX_VALUE),
        new ClusterCommand.Leave("db", 1, ""),
        new ClusterCommand.Revoke("db", 1, ""),
        new ClusterCommand.Release("db", 1),
        new ClusterCommand.Halt("db", "too often"),
        new OperatorCommand.Start("db", "n2", true),
        new OperatorCommand.Switchover("db", "n1", true),
        new OperatorCommand.Stop("db"),
        new OperatorCommand.Retire("n1", OperatorCommand.Rest.STOPS),
        new OperatorCommand.Activate("n1"),
        new OperatorCommand.Maintain(OperatorCommand.Scope.NODE, "n1", true));
  }

  @Test
  void batchesAndStatesComeBackAsTheyWere() throws Exception {
    ClusterState state = ClusterState.EMPTY;
    for (ClusterCommand command : commands()) {
      assertThat(state.refusal(command)).as("%s", command).isEmpty();
      Batch batch =
          new Batch(
              Batch.FORMAT,
              9,
              1_700_000_000_000L,
              List.of(new Decision(command, "test", "because", Map.of("n1", "was heard"))));
      byte[] entry = JSON.writeValueAsBytes(batch);
      Batch read = JSON.readValue(entry, Batch.class);
      assertThat(read).isEqualTo(batch);
      state = state.apply(read);
      byte[] checkpoint = JSON.writeValueAsBytes(state);
      ClusterState restored = JSON.readValue(checkpoint, ClusterState.class);
      assertThat(restored).isEqualTo(state);
      assertThat(JSON.writeValueAsBytes(restored)).isEqualTo(checkpoint);
    }
    assertThat(commands())
        .extracting(command -> (Object) command.getClass())
        .contains((Object[]) concrete());
  }

  /** As entries and messages of before nodes were told apart by when they were put in. */
  @Test
  void markOfAnOlderBuildIsRead() throws Exception {
    String older = "{\"epoch\":1,\"incarnation\":2,\"count\":3}";
    assertThat(JSON.readValue(older, Mark.class)).isEqualTo(new Mark(1, 2, 3, 0));
    assertThat(JSON.writeValueAsString(new Mark(1, 2, 3))).isEqualTo(older);
    assertThat(JSON.writeValueAsString(ClusterState.EMPTY)).doesNotContain("joined", "silentPaths");
    String configure =
        JSON.writeValueAsString(new OperatorCommand.Configure(config(Timing.defaults()), 1, false));
    assertThat(configure).doesNotContain("joins");
    assertThat(JSON.readValue(configure, OperatorCommand.Configure.class).joins()).isFalse();
  }

  private static Class<?>[] concrete() {
    return Arrays.stream(ClusterCommand.class.getAnnotation(JsonSubTypes.class).value())
        .map(JsonSubTypes.Type::value)
        .toArray(Class<?>[]::new);
  }

  @Test
  void messagesComeBackAsTheyWere() throws Exception {
    CopyReport copy =
        new CopyReport("UpToDate", new Mark(1, 2, 3, 4), Set.of("n1", "n2"), Set.of("n3"));
    Report report =
        new Report(
            Report.State.IN,
            1,
            0,
            "",
            "",
            false,
            Map.of("ip", Report.ResourceState.IN),
            Map.of("volume", copy, "other", new CopyReport("Outdated", null, Set.of(), Set.of())),
            Map.of("volume", Map.of("role", "primary")));
    Heartbeat heartbeat =
        new Heartbeat("test", "n1", 4, 5, 6, new Seen(7, 8), 3, Map.of("db", report), DISK);
    assertThat(JSON.readValue(JSON.writeValueAsBytes(heartbeat), Heartbeat.class))
        .isEqualTo(heartbeat);
    Grant.Copies copies =
        new Grant.Copies(new Mark(1, 2, 3), Set.of("n1"), Set.of("n3"), Map.of("n2", 9L));
    Grant grant =
        new Grant(
            "n1",
            4,
            5,
            6,
            new Seen(7, 8),
            4_000,
            1_000,
            Map.of("db", new Grant.Order(true, 1, true, Map.of("volume", copies))));
    assertThat(JSON.readValue(JSON.writeValueAsBytes(grant), Grant.class)).isEqualTo(grant);
  }
}

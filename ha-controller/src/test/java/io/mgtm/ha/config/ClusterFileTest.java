package io.mgtm.ha.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import io.mgtm.common.ConfigException;
import io.mgtm.ha.kit.FenceAgent;
import io.mgtm.ha.kit.ResourceCheck;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Policy;
import io.mgtm.ha.model.Timing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterFileTest {
  private static final String WHOLE =
      """
      cluster: orders
      secretFile: /etc/mgtm/ha.secret
      timing: {leaseMs: 6000}
      nodes:
        db1: {addresses: [10.0.0.1, 10.1.0.1], site: a}
        db2: {addresses: [10.0.0.2, 10.1.0.2], site: b, ports: {api: 8000}}
        w: {addresses: [10.0.0.3, 10.1.0.3], witness: true}
      hierarchies:
        orders:
          nodes: [db1, db2]
          policy: {failback: when_in_step, betweenSitesWaitMs: 5000}
          resources:
            vol:
              kit: volume
              parameters: {file: /srv/v1, size: 10G}
              at: {db2: {file: /srv/other}}
            pg: {kit: postgresql, on: [vol], parameters: {port: 5432}}
      """;

  private static ClusterConfig parse(String text) throws ConfigException {
    return ClusterFile.parse("ha.yaml", text, ResourceCheck.NONE).config();
  }

  @Test
  void readsWhatIsSetAndDefaults() throws ConfigException {
    ClusterConfig config = parse(WHOLE);

    assertThat(config.timing()).isEqualTo(new Timing(500, 6_000, 1_000, 5));
    assertThat(config.nodes().get("db2").api()).hasToString("10.0.0.2:8000");
    assertThat(config.nodes().get("db2").paths()).hasToString("[10.0.0.2:7901, 10.1.0.2:7901]");
    assertThat(config.witness()).contains("w");
    Policy policy = config.hierarchies().get("orders").policy();
    assertThat(policy.failback()).isEqualTo(Policy.Failback.WHEN_IN_STEP);
    assertThat(policy.betweenSitesWaitMs()).isEqualTo(5_000);
    assertThat(policy.localRecoveries()).isEqualTo(3);
    assertThat(config.hierarchies().get("orders").resources().get("vol").parametersOn("db2"))
        .containsEntry("file", "/srv/other")
        .containsEntry("size", "10G");
  }

  @Test
  void everyErrorOfAFileTellsWhereItStands() {
    String[][] cases = {
      {
        "  db1: {",
        "  db1: {adresses: [x], ",
        "line 5",
        "nodes.db1.adresses: unknown key \"adresses\", did you mean \"addresses\"?"
      },
      {"kit: volume", "kti: volume", "line 14", "did you mean \"kit\"?"},
      {"on: [vol]", "on: [vo]", "line 17", "unknown resource \"vo\", did you mean \"vol\"?"},
      {"nodes: [db1, db2]", "nodes: [db1, w]", "line 10", "w is the witness"},
      {"nodes: [db1, db2]", "nodes: [db1, db3]", "line 10", "unknown node \"db3\""},
      {"at: {db2:", "at: {w:", "line 16", "at.w"},
      {
        "leaseMs: 6000",
        "leaseMs: 1000",
        "line 3",
        "1000 is too short, expected 4 times heartbeatMs (500) or more"
      },
      {"leaseMs: 6000", "leaseMs: soon", "line 3", "integer"},
      {"failback: when_in_step", "failback: always", "line 11", "never"},
      {"10.1.0.2]", "]", "line 6", "1 addresses, and 2 at the first node"},
      {"[10.0.0.3,", "[0.0.0.0,", "line 7", "others cannot reach a node at 0.0.0.0"},
      {"[10.0.0.3,", "[10.0.0.2,", "line 7", "10.0.0.2:7901 is an address of node db2 too"},
      {"  orders:", "  watchdog:", "line 9", "the controller has a file of this name"},
      {
        "kit: postgresql, on: [vol], parameters: {port: 5432}",
        "kit: ip, parameters: {address: 10.0.0.2/24}",
        "line 17",
        "10.0.0.2/24 is node db2's own"
      },
    };
    for (String[] c : cases) {
      assertThat(WHOLE).contains(c[0]);
      assertThatThrownBy(() -> parse(WHOLE.replace(c[0], c[1])))
          .as("%s", c[1])
          .isInstanceOf(ConfigException.class)
          .hasMessageStartingWith("ha.yaml: " + c[2] + ", column ")
          .hasMessageContaining(c[3]);
    }
  }

  @Test
  void resourcesDoNotStandOnEachOtherInACircle() {
    String circle = WHOLE.replace("kit: volume", "kit: volume\n        on: [pg]");

    assertThatThrownBy(() -> parse(circle))
        .hasMessageContaining("line 12")
        .hasMessageContaining("in a circle: vol, pg, vol");
  }

  @Test
  void noMoreHierarchiesThanAWatchdogGuards() {
    StringBuilder many = new StringBuilder(WHOLE);
    for (int i = 0; i < 256; i++) {
      many.append("  h").append(i).append(": {nodes: [db1], resources: {r: {kit: ip}}}\n");
    }

    assertThatThrownBy(() -> parse(many.toString()))
        .hasMessageContaining("257 hierarchies are more than the 256 that a watchdog guards");
  }

  @Test
  void aQuorumDiskIsForTwoNodesWithoutAWitness() throws Exception {
    String disk = "quorumDisk: /dev/disk/by-id/x-part1\n";
    String two = WHOLE.replaceFirst("  w: .*\n", "");

    ClusterConfig config = parse(disk + two);
    assertThat(config.quorumDisk()).isEqualTo("/dev/disk/by-id/x-part1");
    assertThat(config.logMembers())
        .containsExactly(entry("db1", false), entry("db2", false), entry("quorum-disk", true));
    assertThatThrownBy(() -> parse(disk + WHOLE))
        .hasMessageContaining("line 1")
        .hasMessageContaining("here are 3 nodes, 1 of them witnesses");
    assertThatThrownBy(() -> parse(WHOLE.replace("  w: {", "  quorum-disk: {")))
        .hasMessageContaining("a quorum disk has this name");
    assertThat(ConfigPlan.of(parse(WHOLE), parse(disk + two)))
        .extracting(change -> change.effect() + " " + change.where())
        .containsExactlyInAnyOrder("NONE quorumDisk", "NONE nodes.w");
    // The other node and the disk stay, which are two of three.
    assertThat(ConfigPlan.of(parse(disk + two), parse(disk + two.replace("db2", "db3"))))
        .extracting(ConfigPlan.Change::effect)
        .doesNotContain(ConfigPlan.Effect.REFUSED);
  }

  @Test
  void twoNodesNeedAThird() {
    String two = WHOLE.replaceFirst("  w: .*\n", "");

    assertThatThrownBy(() -> parse(two))
        .hasMessageContaining("two nodes need a third with \"witness: true\"");
  }

  @Test
  void aKitsWordStandsAtItsParameter() {
    ResourceCheck kits =
        (kit, parameters) ->
            kit.equals("volume") && parameters.get("file").equals("/srv/other")
                ? Optional.of(new ResourceCheck.Problem("file", "is wrong"))
                : Optional.empty();

    assertThatThrownBy(() -> ClusterFile.parse("ha.yaml", WHOLE, kits))
        .hasMessage(
            "ha.yaml: line 16, column 20: hierarchies.orders.resources.vol.at.db2.file: is wrong");
  }

  @ParameterizedTest
  @CsvSource({"'', expected keys and values", "'[1]', expected keys and values", "'a: [', line"})
  void whatIsNoMappingIsRefused(String text, String message) {
    assertThatThrownBy(() -> parse(text)).hasMessageContaining(message);
  }

  @Test
  void keysGivenTwiceAreRefused() {
    assertThatThrownBy(() -> parse(WHOLE + "cluster: other\n")).hasMessageContaining("Duplicate");
  }

  @Test
  void whatIsInServiceIsStoppedBeforeItIsChangedAndWhatIsOutIsNotTouched() {
    List<ConfigPlan.Change> changes =
        List.of(
            new ConfigPlan.Change("hierarchies.a.policy", "is another", ConfigPlan.Effect.NONE),
            new ConfigPlan.Change("hierarchies.a.resources.x", "is new", ConfigPlan.Effect.RESTART),
            new ConfigPlan.Change("hierarchies.b", "is no more", ConfigPlan.Effect.STOP),
            new ConfigPlan.Change("hierarchies.c", "is protected", ConfigPlan.Effect.START));

    assertThat(ConfigPlan.now(changes, Map.of("a", "db1")))
        .extracting(change -> change.effect() + " " + change.what())
        .containsExactly(
            "NONE is another",
            "REFUSED is new, and a is on db1: stop it before it is changed or removed",
            "NONE is no more",
            "START is protected");
  }

  @Test
  void aPlanTellsWhichServicesAreTouched() throws ConfigException {
    ClusterConfig from = parse(WHOLE);

    assertThat(ConfigPlan.of(from, parse(WHOLE))).isEmpty();
    assertThat(ConfigPlan.of(from, parse(WHOLE.replace("port: 5432", "port: 5433"))))
        .containsExactly(
            new ConfigPlan.Change(
                "hierarchies.orders.resources.pg", "is another", ConfigPlan.Effect.RESTART));
    assertThat(ConfigPlan.of(from, parse(WHOLE.replace("5000", "6001"))))
        .extracting(ConfigPlan.Change::effect)
        .containsExactly(ConfigPlan.Effect.NONE);
    assertThat(ConfigPlan.of(from, parse(WHOLE.replace("leaseMs: 6000", "leaseMs: 7000"))))
        .extracting(ConfigPlan.Change::effect)
        .containsExactly(ConfigPlan.Effect.NONE);
    assertThat(ConfigPlan.of(from, from.withHierarchies(Map.of())))
        .extracting(ConfigPlan.Change::effect)
        .containsExactly(ConfigPlan.Effect.STOP);
    String other = WHOLE.replace("db2:", "db3:").replace("db1, db2", "db1, db3");
    assertThat(ConfigPlan.of(from, parse(other)))
        .extracting(change -> change.where() + " " + change.what())
        .startsWith(
            "nodes.db3 joins; start its controller with this file",
            "nodes.db2 leaves; it is retired before, and its controller is stopped afterwards");
    assertThat(ConfigPlan.of(from, parse(WHOLE.replace("10.0.0.2,", "10.0.0.9,"))))
        .extracting(change -> change.where() + " " + change.what())
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("nodes.db2 gets other addresses; it is retired before, and its controller");
    assertThat(ConfigPlan.of(from, parse(WHOLE.replace("site: b", "site: c"))))
        .extracting(change -> change.where() + " " + change.what())
        .containsExactly(
            "nodes.db2 is another; its controller reads that when it is started again");
    assertThat(ConfigPlan.of(from, parse(WHOLE.replace("cluster: orders", "cluster: others"))))
        .extracting(ConfigPlan.Change::where, ConfigPlan.Change::effect)
        .containsExactly(tuple("cluster", ConfigPlan.Effect.REFUSED));
    assertThat(ConfigPlan.of(from, parse(WHOLE.replace(", witness: true", ""))))
        .extracting(ConfigPlan.Change::where, ConfigPlan.Change::effect)
        .contains(tuple("nodes.w", ConfigPlan.Effect.REFUSED));
    String third = WHOLE.replace("  w: {", "  db3: {").replace(", witness: true", "");
    assertThat(ConfigPlan.of(from, parse(third)))
        .extracting(change -> change.effect() + " " + change.where() + " " + change.what())
        .containsExactly(
            "NONE nodes.db3 joins; start its controller with this file",
            "NONE nodes.w leaves, and votes until those that join have what is agreed on");
    assertThat(ConfigPlan.of(parse(third), from)).extracting(ConfigPlan.Change::effect).hasSize(2);
  }

  private static String fenced(String fence) {
    return WHOLE.replace("site: a}", "site: a, fence: {" + fence + "}}");
  }

  @Test
  void aNodeMayHaveAFenceAgent() throws ConfigException {
    String fence =
        "agent: fence_ipmilan, parameters: {ip: 10.2.0.1, lanplus: 1}, parametersFile: /s";

    assertThat(ClusterFile.parse("ha.yaml", fenced(fence), ResourceCheck.NONE).fences())
        .containsExactly(
            Map.entry(
                "db1",
                new FenceAgent(
                    "fence_ipmilan",
                    Map.of("ip", "10.2.0.1", "lanplus", "1"),
                    Optional.of(Path.of("/s")),
                    30_000)));
    assertThat(ConfigPlan.of(parse(WHOLE), parse(fenced(fence)))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "agent: rm | nodes.db1.fence.agent",
        "agnt: fence_x | did you mean \"agent\"?",
        "agent: fence_x, parameters: {passwd: x} | nodes.db1.fence.parameters.passwd: can be read",
        "agent: fence_x, parameters: {action: on} | one that the controller sets",
        "agent: fence_x, timeoutMs: 1 | nodes.db1.fence.timeoutMs"
      })
  void aWrongFenceAgentIsToldWithItsPlace(String fence, String message) {
    assertThatThrownBy(() -> parse(fenced(fence)))
        .hasMessageStartingWith("ha.yaml: line 5, column ")
        .hasMessageContaining(message);
  }

  /** What stands in it would count for nothing. */
  @Test
  void aSecondDocumentIsRefused() {
    assertThatThrownBy(() -> parse(WHOLE + "---\nnodes: {}\n"))
        .hasMessageStartingWith("ha.yaml: line " + (WHOLE.lines().count() + 2) + ", column ")
        .hasMessageContaining("a second YAML document begins here");
  }

  /** Asked on the machine itself: a controller would not start, or its secret is everybody's. */
  @Test
  void aSecretThatIsNoneIsToldOnItsMachine(@TempDir Path folder) throws Exception {
    Path secret = folder.resolve("secret");
    Path file = folder.resolve("ha.yaml");
    Files.writeString(file, WHOLE.replace("/etc/mgtm/ha.secret", secret.toString()));
    assertThatThrownBy(() -> ClusterFile.check(file, ResourceCheck.NONE))
        .hasMessageContaining("line 2")
        .hasMessageContaining("cannot read secretFile " + secret);

    Files.writeString(secret, "short\n");
    assertThatThrownBy(() -> ClusterFile.check(file, ResourceCheck.NONE))
        .hasMessageContaining("5 characters are not allowed");

    Files.writeString(secret, "5ec2e7".repeat(8) + "\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> ClusterFile.check(file, ResourceCheck.NONE))
        .hasMessageContaining("can be used by others; chmod 600 " + secret);

    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    assertThat(ClusterFile.check(file, ResourceCheck.NONE).config().cluster()).isEqualTo("orders");

    String named = Files.readString(file);
    String hook = "{url: 'http://10.0.0.9/', secretFile: %s/hook}".formatted(folder);
    Files.writeString(file, named + "\nnotify: {webhooks: {ops: %s}}\n".formatted(hook));
    assertThatThrownBy(() -> ClusterFile.check(file, ResourceCheck.NONE))
        .hasMessageContaining("cannot read notify.webhooks.ops.secretFile");
    Files.writeString(folder.resolve("hook"), "short\n");
    assertThatThrownBy(() -> ClusterFile.check(file, ResourceCheck.NONE))
        .hasMessageContaining("5 characters are not allowed");

    Files.writeString(file, WHOLE.replaceAll("secretFile.*\n", ""));
    assertThatThrownBy(() -> ClusterFile.check(file, ResourceCheck.NONE))
        .hasMessageContaining("secretFile is missing, and node db1 is not on loopback");
  }

  /** Else no node would hear another any more. */
  @Test
  void heartbeatsFitIntoADatagram() {
    StringBuilder many = new StringBuilder(WHOLE);
    for (int i = 0; i < 200; i++) {
      String name = "%s%03d".formatted("h".repeat(60), i);
      many.append(
          "  %s: {nodes: [db1], resources: {%s: {kit: ip}, %<s2: {kit: ip}}}\n"
              .formatted(name, "r".repeat(60)));
    }

    assertThatThrownBy(() -> parse(many.toString()))
        .hasMessageContaining(
            "hierarchies: the 201 hierarchies of node db1 may make a heartbeat of ")
        .hasMessageContaining("shorter names");
  }

  @Test
  void nodesOfSeveralMachinesAreNotOnLoopback() {
    assertThatThrownBy(() -> parse(WHOLE.replace("10.1.0.2", "127.0.0.2")))
        .hasMessageContaining("nodes.db2.addresses: 127.0.0.2 is loopback");
    assertThatCode(() -> parse(WHOLE.replace("10.", "127."))).doesNotThrowAnyException();
  }
}

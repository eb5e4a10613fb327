package io.mgtm.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.mgtm.bench.volume.Exec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the chart of docker/kubernetes makes of its values. */
class ChartTest {
  private static final int EXEC_SECONDS = 60;
  private static final String CHART =
      Path.of("..", "docker", "kubernetes").toAbsolutePath().normalize().toString();

  @BeforeAll
  static void helmIsThere() throws InterruptedException {
    assumeTrue(
        Exec.succeeds(EXEC_SECONDS, List.of("helm", "version")),
        "SKIPPED: Kubernetes: no program helm");
  }

  private static String helm(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("helm"));
    command.addAll(List.of(arguments));
    // A helm that go has built takes the cluster for an old one.
    command.addAll(List.of("--kube-version", "1.30.0"));
    return Exec.run(EXEC_SECONDS, command);
  }

  private static List<JsonNode> objects(String... values) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("template", "xc", CHART));
    for (String value : values) {
      arguments.addAll(List.of("--set", value));
    }
    String made = helm(arguments.toArray(String[]::new));
    YAMLMapper yaml = new YAMLMapper();
    try (MappingIterator<JsonNode> all = yaml.readerFor(JsonNode.class).readValues(made)) {
      return all.readAll();
    }
  }

  private static List<JsonNode> containers(List<JsonNode> objects) {
    List<JsonNode> containers = new ArrayList<>();
    for (JsonNode object : objects) {
      object.path("spec").path("template").path("spec").path("containers").forEach(containers::add);
    }
    return containers;
  }

  @Test
  void isCleanByHelmsOwnRules() throws Exception {
    assertThat(helm("lint", "--strict", CHART)).contains("0 chart(s) failed");
  }

  @Test
  void membersAreAsManyAsReplicas() throws Exception {
    assertThat(containers(objects("gtm.replicas=5")).get(0).path("args").toString())
        .contains(
            "--members=xc-gtm-0=xc-gtm-0.xc-gtm:7600,xc-gtm-1=xc-gtm-1.xc-gtm:7600",
            "xc-gtm-4=xc-gtm-4.xc-gtm:7600\"")
        .doesNotContain("xc-gtm-5");
  }

  @Test
  void containersMayDoNothingButTheirWork() throws Exception {
    List<JsonNode> containers = containers(objects());
    assertThat(containers).hasSize(2);
    for (JsonNode container : containers) {
      assertThat(container.path("securityContext").toString())
          .contains(
              "\"readOnlyRootFilesystem\":true",
              "\"allowPrivilegeEscalation\":false",
              "\"drop\":[\"ALL\"]");
      Set<String> ports = new TreeSet<>(container.path("ports").findValuesAsText("name"));
      for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
        assertThat(ports).containsAll(container.path(probe).findValuesAsText("port"));
      }
    }
  }

  /** No quorum of two, no value that means nothing. */
  @Test
  void schemaRefusesWhatCannotBe() {
    List<String> wrong =
        List.of(
            "gtm.replicas=2",
            "gtm.replica=3",
            "gtm.mode=none",
            "gtm.storage.size=199Mi",
            "gtm.resources.limits=null",
            "gtm.resources.limits.memory=null",
            "images.gtm=a: b");
    for (String value : wrong) {
      assertThatThrownBy(() -> helm("template", "xc", CHART, "--set", value))
          .as(value)
          .hasMessageContaining("values don't meet the specifications of the schema");
    }
  }

  /** Of which Kubernetes would make no Service, or no pod. */
  @Test
  void releasesNameMustFit() throws Exception {
    for (String name : List.of("a.b", "1xc", "x".repeat(49))) {
      assertThatThrownBy(() -> helm("template", name, CHART))
          .as(name)
          .hasMessageContaining("1 to 48 letters, digits and -");
    }
    assertThat(helm("template", "on", CHART)).contains("app.kubernetes.io/instance: \"on\"");
    assertThat(helm("template", "x".repeat(48), CHART)).contains("x".repeat(48) + "-gtm");
  }
}

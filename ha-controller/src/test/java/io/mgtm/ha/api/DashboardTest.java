package io.mgtm.ha.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.node.ClusterView;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The dashboard for Grafana in the documentation, and what a controller exports. */
class DashboardTest {
  private static final Pattern METRIC = Pattern.compile("\\bmgtm_ha_\\w+");
  private static final Pattern EXPORTED = Pattern.compile("(?m)^# TYPE (mgtm_ha_\\w+) ");

  private static Set<String> all(Pattern pattern, int group, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(found -> found.group(group))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void showsEachMetricThatIsExportedAndNoOther() throws Exception {
    JsonNode dashboard =
        new ObjectMapper().readTree(Path.of("..", "docs", "ha-dashboard.json").toFile());
    String asked = String.join("\n", dashboard.findValuesAsText("expr"));
    ClusterView view =
        new ClusterView(
            "a", "a", 1, 1, 1, List.of(), List.of(), List.of(), Map.of(), ClusterState.EMPTY);

    assertThat(all(METRIC, 0, asked))
        .isEqualTo(all(EXPORTED, 1, Metrics.text(view, MetricsTest.CONFIG)));
    assertThat(dashboard.path("panels").findValuesAsText("id")).doesNotHaveDuplicates();
  }
}

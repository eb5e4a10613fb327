package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.group.GroupMode;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard for Grafana in the documentation, and what a node of a group exports. */
class DashboardTest {
  private static final Pattern METRIC = Pattern.compile("\\bmgtm_[a-z_]+");

  @TempDir Path folder;

  private static Set<String> metrics(String text) {
    return METRIC.matcher(text).results().map(found -> found.group()).collect(Collectors.toSet());
  }

  @Test
  void asksForNothingThatANodeDoesNotExport() throws Exception {
    JsonNode dashboard =
        new ObjectMapper().readTree(Path.of("..", "docs", "gtm-dashboard.json").toFile());
    try (TestGtm gtm = TestGtm.in(folder).aloneInAGroup(GroupMode.FIFO).withMetrics().start()) {
      RawClient client = gtm.backend();
      client.commit(client.begin());
      client.call(RawClient.nextFrame("none")).error();
      // What is counted by kind is there once there was one.
      Await.until(
          "a request and a rejection are counted",
          () ->
              metrics(gtm.get("/metrics", 200))
                  .containsAll(Set.of("mgtm_requests_seconds_count", "mgtm_rejections_total")));

      assertThat(metrics(gtm.get("/metrics", 200)))
          .containsAll(metrics(String.join("\n", dashboard.findValuesAsText("expr"))));
    }
    assertThat(dashboard.path("panels").findValuesAsText("id")).doesNotHaveDuplicates();
  }
}

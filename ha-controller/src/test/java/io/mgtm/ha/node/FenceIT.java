package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Event;
import io.mgtm.ha.core.Report.State;
import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real controllers, one of which falls silent, and a fence agent of the test's own. */
class FenceIT {
  private static final String HIERARCHIES =
      """
      hierarchies:
        orders:
          nodes: [a, b]
          resources:
            only: {kit: fake}
      """;

  /** Far longer than the test waits: only the agent's word lets another node have it. */
  private static final String GUARD = ", guardMs: 600000";

  @TempDir private Path folder;

  @Test
  void whatASilentNodeHadIsTakenOverWhenItIsSwitchedOff() throws Exception {
    Path agent = folder.resolve("fence_own");
    Files.writeString(
        agent,
        """
        #!/bin/sh
        cd "${0%/*}"
        told=$(cat)
        case "$told" in
          *action=off*) echo "$told" > off;;
          *action=status*) [ -e off ] && exit 2;;
        esac
        """);
    Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwx------"));
    String fence = ", fence: {agent: %s, parameters: {plug: 7}}".formatted(agent);

    try (LocalCluster cluster =
        new LocalCluster(folder, List.of("a", "b", "w"), HIERARCHIES, null, GUARD, fence)) {
      cluster.start("a", "b", "w");
      String here = cluster.awaitWhere("orders");
      String there = here.equals("a") ? "b" : "a";

      cluster.stop(here);

      // What the silent one said last is remembered, so its word is not asked.
      Await.until("taken over", () -> cluster.state(there, there, "orders") == State.IN);
      assertThat(Files.readString(folder.resolve("off")))
          .contains("plug=7")
          .contains("nodename=" + here);
      List<Event> events = cluster.node(there).view().state().events();
      assertThat(events)
          .anyMatch(
              event ->
                  event.subject().equals(here)
                      && event.what().startsWith("has been switched off by " + agent + " in "));
      assertThat(events)
          .anyMatch(event -> event.cause().startsWith(here + " has been switched off by "));
    }
  }
}

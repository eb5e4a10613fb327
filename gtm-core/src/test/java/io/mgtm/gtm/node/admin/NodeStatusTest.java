package io.mgtm.gtm.node.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Nodes of another version are asked too. */
class NodeStatusTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final NodeStatus STATUS =
      new NodeStatus(
          "g1",
          "fifo",
          "leader",
          true,
          false,
          3,
          "g1",
          "h:1",
          9,
          8,
          7,
          "critical",
          2,
          List.of(new NodeStatus.MemberStatus("g1", true, false, true, 9, 0, "h:1", "h:2")),
          List.of("a sentence"),
          "");

  private static ObjectNode member(ObjectNode status) {
    return (ObjectNode) ((ArrayNode) status.get("members")).get(0);
  }

  @Test
  void whatALaterVersionSaysBesideIsPassedOver() throws Exception {
    ObjectNode later = JSON.valueToTree(STATUS);
    later.put("weather", "fair");
    member(later).put("mood", 5);
    assertThat(JSON.treeToValue(later, NodeStatus.class)).isEqualTo(STATUS);
    ObjectNode counts = JSON.valueToTree(new StateCounts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    counts.put("locks", 11);
    assertThat(JSON.treeToValue(counts, StateCounts.class).sequences()).isEqualTo(10);
  }

  @Test
  void whatAnEarlierVersionDoesNotSayIsNotKnown() throws Exception {
    ObjectNode earlier = JSON.valueToTree(STATUS);
    earlier.remove(List.of("durability", "warnings", "trouble"));
    member(earlier).retain(Set.of("name", "voter", "connected", "matchedIndex", "lagEntries"));
    NodeStatus read = JSON.treeToValue(earlier, NodeStatus.class);
    assertThat(read.durability()).isEqualTo("not known");
    assertThat(read.warnings()).isEmpty();
    assertThat(read.members())
        .containsExactly(new NodeStatus.MemberStatus("g1", true, false, true, 9, 0, "", ""));
  }
}

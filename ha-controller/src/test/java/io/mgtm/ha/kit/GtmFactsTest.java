package io.mgtm.ha.kit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GtmFactsTest {
  private static final String PAGE =
      """
      {"status":{"member":"g1","mode":"fifo","role":"leader","serving":true,"term":7,"leader":"g1",
      "lastIndex":12,"committedIndex":11,"durability":"critical","sessions":3,"trouble":"",
      "members":[{"name":"g1","voter":true,"witness":false,"connected":true,"lagEntries":0},
      {"name":"g2","voter":true,"connected":false,"lagEntries":40},
      {"name":"w","voter":true,"witness":true,"connected":true,"lagEntries":-1}]},
      "gateways":["gateway \\"p1\\" from /10.0.0.9:4711"],
      "nodes":[{"type":"coordinator","name":"c1","connected":true},
      {"type":"datanode","name":"d1","connected":false}]}
      """;

  @Test
  void theGroupItsMembersAndWhoConnectsAreTold() {
    assertThat(GtmFacts.of(PAGE))
        .containsEntry("leader", "g1")
        .containsEntry("term", "7")
        .containsEntry("committed", "11")
        .containsEntry("member.g1", "voter connected 0")
        .containsEntry("member.g2", "voter away 40")
        .containsEntry("member.w", "witness connected -1")
        .containsEntry("gateway.1", "gateway \"p1\" from /10.0.0.9:4711")
        .containsEntry("node.coordinator.c1", "connected")
        .containsEntry("node.datanode.d1", "away")
        .doesNotContainKey("trouble");
  }

  @Test
  void whatIsNoStatusIsSaidSo() {
    assertThat(GtmFacts.of("<html>")).containsOnlyKeys("trouble");
    assertThat(GtmFacts.of("{}")).isEmpty();
  }
}

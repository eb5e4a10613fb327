package io.mgtm.block.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeNameTest {
  @Test
  void itTellsTheHostAndIsTakenByAPeer() {
    assertThat(NodeName.of("DB1.example.org", 0x2a)).isEqualTo("db1-000000000000002a");
    assertThat(NodeName.of("", -1)).isEqualTo("node-ffffffffffffffff");
    assertThat(NodeName.of("10.0.0.1", 1)).isEqualTo("node-0000000000000001");
    assertThat(NodeName.of("a_b\u00e9".repeat(40), 1)).hasSizeLessThan(64).matches("[0-9a-z-]+");
    assertThat(NodeName.make()).isNotEqualTo(NodeName.make());
  }
}

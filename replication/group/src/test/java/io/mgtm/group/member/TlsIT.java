package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.GroupMode;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.testing.TestKeys;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that trust each other by certificates. */
class TlsIT {
  private static final List<String> THREE = List.of("g1", "g2", "g3");

  @TempDir Path folder;

  @Test
  void groupWithTlsWorksAndTalksToNobodyWithoutACertificate() throws Exception {
    JGroupsSettings.Tls keys =
        new JGroupsSettings.Tls(
            TestKeys.make(folder, "member", "127.0.0.1").store(), TestKeys.PASSWORD);
    try (TestGroup group = new TestGroup(GroupMode.FIFO, folder, THREE, Optional.of(keys))) {
      THREE.forEach(group::start);
      group.add("secret");
      group.awaitAgreement();
      TestMember leader = group.awaitLeader();
      leader.onOwner(() -> leader.log().admin().add("g4"));
      TestMember stranger = group.start("g4", "", Optional.empty());
      group.add("more");
      assertThat(stranger.status().connected()).containsExactly("g4");
      assertThat(stranger.local()).isEmpty();
      assertThat(group.awaitLeader().status().connected()).containsExactlyElementsOf(THREE);
    }
  }
}

package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said of a member that may join and has not. */
class AwaitedTest {
  @Test
  void aRefusedCertificateIsSaidWhereTheMemberIsNotConnected() {
    Optional<String> refused = Optional.of("this member refuses 10.0.0.4's certificate (expired)");
    assertThat(GroupStatus.awaited("g4", List.of("g1"), refused))
        .isEqualTo(
            "g4 may join, and is not connected: this member refuses 10.0.0.4's certificate (expired)");
    assertThat(GroupStatus.awaited("g4", List.of("g1"), Optional.empty()))
        .startsWith("g4 may join, and is not connected: start it with");
    assertThat(GroupStatus.awaited("g4", List.of("g1", "g4"), refused))
        .isEqualTo("g4 may join, and is connected; it has not been let in yet");
  }
}

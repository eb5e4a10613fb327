package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said of a member that may join and has not, and of one that is kept out. */
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

  @Test
  void whyAProcessIsKeptOutIsSaidWhileAMemberIsMissing() {
    Optional<String> why = Optional.of("10.0.0.3 begins TLS");
    List<String> all = List.of("g1", "g2", "g3");
    assertThat(GroupStatus.refused(all, List.of(), List.of("g1", "g2"), why)).isEqualTo(why);
    assertThat(GroupStatus.refused(List.of(), List.of(), List.of("g1"), why)).isEqualTo(why);
    assertThat(GroupStatus.refused(all, List.of(), all, why)).isEmpty();
    assertThat(GroupStatus.refused(all, List.of("g4"), List.of("g1", "g2"), why)).isEmpty();
    assertThat(GroupStatus.refused(all, List.of(), List.of("g1"), Optional.empty())).isEmpty();
  }
}

package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jgroups.protocols.NAKACK4;
import org.junit.jupiter.api.Test;

/** Channels of JGroups in this JVM, with the membership of the group's stack. */
class JoinTest {
  /** Longer than a request to join waits for its answer, shorter than all of them together. */
  private static final long DEAF_MS = 800;

  private static LoopbackMember<LossyLink> join(String name) throws Exception {
    return new LoopbackMember<>(
        "join-test",
        name,
        new LossyLink(message -> true),
        new NAKACK4(),
        JGroupsStack.membership());
  }

  @Test
  void newMemberWhomTheCoordinatorDoesNotAnswerAsksAgain() throws Exception {
    try (LoopbackMember<LossyLink> coordinator = join("a")) {
      coordinator.link.loses = true;
      CompletableFuture<Void> hears =
          CompletableFuture.runAsync(
              () -> coordinator.link.loses = false,
              CompletableFuture.delayedExecutor(DEAF_MS, TimeUnit.MILLISECONDS));
      try (LoopbackMember<LossyLink> joined = join("b")) {
        assertThat(joined.channel.getView().getMembers())
            .containsExactly(coordinator.channel.getAddress(), joined.channel.getAddress());
      }
      hears.join();
    }
  }
}

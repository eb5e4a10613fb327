package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.node.admin.NodeStatus;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OutsiderWatchTest {
  private long nanos = 17;
  private final OutsiderWatch watch = new OutsiderWatch(() -> nanos);

  private String look(String role, long afterMs) {
    nanos += TimeUnit.MILLISECONDS.toNanos(afterMs);
    NodeStatus status =
        new NodeStatus(
            "g2",
            "fifo",
            role,
            false,
            false,
            3,
            "g1",
            "",
            0,
            0,
            0,
            "all",
            0,
            List.of(),
            List.of(),
            role.equals("outsider") ? "g2 is not a member of the group" : "");
    return watch.look(status, null);
  }

  @Test
  void memberThatWasTakenOutIsToldAfterAWhile() {
    assertThat(look("follower", 60_000)).isEmpty();
    assertThat(look("outsider", 1_000)).isEmpty();
    assertThat(look("outsider", 4_000)).as("it may be let in yet").isEmpty();
    assertThat(look("outsider", 1)).isEqualTo("g2 is not a member of the group");
    assertThat(look("outsider", 60_000)).isNotEmpty();
  }

  @Test
  void memberThatIsLetInAgainIsNone() {
    look("outsider", 6_000);
    assertThat(look("candidate", 500)).isEmpty();
    assertThat(look("outsider", 500)).as("its time begins once more").isEmpty();
  }

  @Test
  void witnessHasItsPlace() {
    assertThat(look("witness", 60_000)).isEmpty();
  }
}

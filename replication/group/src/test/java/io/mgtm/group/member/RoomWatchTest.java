package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoomWatchTest {
  private final RoomWatch room = new RoomWatch("b", 0);

  @Test
  void whatWasRefusedIsAWarningForAWhile() {
    assertThat(room.warning(0)).isEmpty();
    room.refused("Cannot write /data/log-2: free some space on it", 1_000);
    assertThat(room.warning(1_000))
        .startsWith("b cannot store entries: Cannot write /data/log-2: free some space on it");
    room.hasRoom();
    assertThat(room.warning(5_000)).as("a smaller entry had room").isNotEmpty();
    room.refused("another", 9_000);
    assertThat(room.warning(18_999)).contains("another");
    assertThat(room.warning(19_000)).isEmpty();
  }
}

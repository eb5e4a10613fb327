package io.mgtm.gtm.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DoorsTest {
  private static final long SESSION = 1L << 62;
  private final Doors doors = new Doors();
  private final RecordingPeer one = new RecordingPeer("p1");
  private final RecordingPeer two = new RecordingPeer("p1");

  @Test
  void commandsComeInOnlyOnceTheAttachmentIsSettled() {
    doors.open(SESSION, one, 7);
    assertThat(doors.open(SESSION, one)).isNull();
    doors.admit(SESSION, 8);
    assertThat(doors.open(SESSION, one)).as("another attachment").isNull();
    doors.admit(SESSION, 7);
    assertThat(doors.open(SESSION, one)).isNotNull();
    assertThat(doors.open(SESSION, two)).as("another link").isNull();
  }

  @Test
  void aLaterLinkTakesTheSessionOver() {
    doors.open(SESSION, one, 7);
    doors.admit(SESSION, 7);
    doors.open(SESSION, two, 9);
    assertThat(doors.open(SESSION, one)).isNull();
    doors.forget(SESSION, one);
    assertThat(doors.of(SESSION, two)).isNotNull();
    assertThat(doors.gone(one)).isEmpty();
    assertThat(doors.gone(two)).containsExactly(new MemberOp.Detach(SESSION, 9));
    assertThat(doors.of(SESSION, two)).isNull();
  }
}

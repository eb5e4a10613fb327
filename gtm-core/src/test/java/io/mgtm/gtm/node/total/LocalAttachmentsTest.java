package io.mgtm.gtm.node.total;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.node.engine.RecordingPeer;
import org.junit.jupiter.api.Test;

class LocalAttachmentsTest {
  private static final long SESSION = 1L << 62;
  private final LocalAttachments attached = new LocalAttachments();
  private final RecordingPeer one = new RecordingPeer("p1");
  private final RecordingPeer two = new RecordingPeer("p1");

  @Test
  void commandsComeInOnlyOnceTheAttachmentIsSettled() {
    attached.open(SESSION, one, 7);
    assertThat(attached.open(SESSION, one)).isNull();
    attached.admit(SESSION, 8);
    assertThat(attached.open(SESSION, one)).as("another attachment").isNull();
    attached.admit(SESSION, 7);
    assertThat(attached.open(SESSION, one)).isNotNull();
    assertThat(attached.open(SESSION, two)).as("another link").isNull();
  }

  @Test
  void aLaterLinkTakesTheSessionOver() {
    attached.open(SESSION, one, 7);
    attached.admit(SESSION, 7);
    attached.open(SESSION, two, 9);
    assertThat(attached.open(SESSION, one)).isNull();
    attached.forget(SESSION, 7);
    assertThat(attached.of(SESSION, two)).isNotNull();
    assertThat(attached.gone(one)).isEmpty();
    assertThat(attached.gone(two)).containsExactly(new MemberOp.Detach(SESSION, 9));
    assertThat(attached.of(SESSION, two)).isNull();
  }
}

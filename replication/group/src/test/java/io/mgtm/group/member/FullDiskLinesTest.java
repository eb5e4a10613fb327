package io.mgtm.group.member;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.mgtm.testing.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the log of a process says while the disk is full. */
class FullDiskLinesTest {
  @RegisterExtension private final LogLines lines = new LogLines("io.mgtm.group");
  private final LoneLogFixture fixture = new LoneLogFixture();

  private List<ILoggingEvent> warnings(String with) {
    return lines.list().stream()
        .filter(line -> line.getLevel() == Level.WARN)
        .filter(line -> line.getFormattedMessage().contains(with))
        .toList();
  }

  @Test
  void aCheckpointWithoutRoomIsToldOnceAndWithoutATrace() {
    fixture.open();
    fixture.fill(20);
    fixture.disk.setBytesMax(fixture.disk.usedBytes());
    for (int i = 0; i < 10; i++) {
      fixture.fill(400);
      fixture.passMs(1_000);
      assertThat(fixture.log.hasRoom(50)).isFalse();
      fixture.threads.runAll();
    }
    assertThat(fixture.log.stats().checkpointFailures()).isGreaterThan(2);
    assertThat(warnings("No checkpoint at index")).hasSize(1);
    ILoggingEvent told = warnings("No checkpoint at index").get(0);
    assertThat(told.getFormattedMessage()).contains("the disk is full");
    assertThat(told.getThrowableProxy()).isNull();
    assertThat(warnings("No room for the log")).hasSize(1);
  }
}

package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a client is within a backup. */
class BackupWatchTest {
  private final BackupWatch watch = new BackupWatch();

  @Test
  void aBackupLastsUntilItsEndIsAnswered() {
    assertThat(watch.isOpen()).isFalse();
    watch.begin();
    watch.answered();
    watch.answered();
    assertThat(watch.isOpen()).isTrue();
    watch.end(3);
    watch.answered();
    watch.answered();
    assertThat(watch.isOpen()).as("a list from within it may still come").isTrue();
    watch.answered();
    assertThat(watch.isOpen()).isFalse();
    watch.answered();
    assertThat(watch.isOpen()).isFalse();
  }

  @Test
  void anEndWithoutBeginIsNone() {
    watch.end(1);
    watch.answered();
    assertThat(watch.isOpen()).isFalse();
    watch.begin();
    watch.end(2);
    watch.begin();
    watch.answered();
    watch.answered();
    assertThat(watch.isOpen()).as("it was begun again before the end was answered").isTrue();
  }
}

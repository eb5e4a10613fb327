package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SignalsTest {
  @Test
  void whoIsToldToStopStandsStillAndWhoIsGoneIsSaidSo() throws Exception {
    Process process = new ProcessBuilder("sleep", "1000").start();
    try {
      Signals.send(process.pid(), "STOP");
      assertThat(Files.readString(Path.of("/proc", process.pid() + "", "stat"))).contains(") T ");
      assertThat(process.isAlive()).isTrue();
    } finally {
      Signals.send(process.pid(), "KILL");
    }
    process.waitFor();
    assertThatThrownBy(() -> Signals.send(process.pid(), "CONT"))
        .isInstanceOf(IOException.class)
        .hasMessage("kill -CONT " + process.pid() + ": status 1");
  }
}

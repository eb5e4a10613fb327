package io.mgtm.local;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
  private static final int READY_MS = 60_000;

  @TempDir Path folder;

  @Test
  void programsOwnSentenceIsTold() {
    assertThatThrownBy(() -> await("echo 'mgtm: the folder is in use'; echo more; exit 1"))
        .isInstanceOf(IOException.class)
        .hasMessage("g1: the folder is in use; see " + log());
  }

  @Test
  void programThatSaysNothingIsTold() {
    assertThatThrownBy(() -> await("exit 1"))
        .isInstanceOf(IOException.class)
        .hasMessage("g1: ended before it listened; see " + log());
  }

  private void await(String script) throws IOException, InterruptedException {
    try (ChildProcess child = ChildProcess.start("g1", List.of("sh", "-c", script), log())) {
      child.awaitReady(READY_MS);
    }
  }

  private Path log() {
    return folder.resolve("g1.log");
  }
}

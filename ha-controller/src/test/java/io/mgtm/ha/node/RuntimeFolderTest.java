package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeFolderTest {
  @TempDir private Path folder;

  @Test
  void isOneControllersUntilThatEnds() throws IOException {
    Path run = folder.resolve("run");
    try (RuntimeFolder first = RuntimeFolder.take(run)) {
      assertThat(first).isNotNull();
      assertThatThrownBy(() -> RuntimeFolder.take(run))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another controller uses the folder " + run);
    }
    RuntimeFolder.take(run).close();
  }
}

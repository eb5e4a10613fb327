package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
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

  /** Nothing is counted in a folder of another controller that runs. */
  @Test
  void dataAreOneControllersToo() throws IOException {
    try (RuntimeFolder first = RuntimeFolder.takeData(folder)) {
      assertThat(first).isNotNull();
      assertThatThrownBy(
              () ->
                  HaNode.start(
                      new NodeSetup("a", null, folder, folder, Optional.empty(), "", name -> null)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another controller uses " + folder);
      assertThat(folder.resolve("incarnation")).doesNotExist();
    }
  }
}

package io.mgtm.ha.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.ha.kit.GuardStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardFileTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "{\"version\":",
        "{\"version\":1}",
        "{\"version\":1,\"device\":\"\",\"controller\":{\"pid\":0,\"startMs\":0},\"hierarchies\":{\"h\":null}}"
      })
  void aDamagedOneIsNamedAndSaysWhatToDo(String text) throws Exception {
    Files.writeString(GuardFile.path(folder), text);
    assertThatThrownBy(() -> GuardFile.read(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(GuardFile.path(folder) + " is damaged (")
        .hasMessageContaining("by hand")
        .hasMessageNotContaining("REDACTED");
  }

  /** Of before steps were ended side by side. */
  @Test
  void anEarlierOneHasOneStepAfterTheOther() throws Exception {
    Files.writeString(
        GuardFile.path(folder),
        "{\"version\":1,\"device\":\"\",\"controller\":{\"pid\":0,\"startMs\":0},"
            + "\"hierarchies\":{\"h\":{\"slot\":3,\"steps\":["
            + "{\"do\":\"killPidFile\",\"file\":\"a\"},{\"do\":\"killPidFile\",\"file\":\"b\"}]}}}");
    assertThat(GuardFile.read(folder).hierarchies().get("h").plan())
        .isEqualTo(
            GuardPlan.inOrder(
                List.of(new GuardStep.KillPidFile("a"), new GuardStep.KillPidFile("b"))));
  }
}

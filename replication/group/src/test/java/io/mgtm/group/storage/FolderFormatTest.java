package io.mgtm.group.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who starts on a format file that cannot be used learns what to do. */
class FolderFormatTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(1));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "mgtm d%ta folder\nversion=1\n",
        "mgtm data folder\nversion=1\n",
        "mgtm data folder\nversion=1\nmember=7c9e-zz\n"
      })
  void aDamagedOneSaysWhatToDo(String text) {
    disk.write(FolderFormat.NAME, text.getBytes(UTF_8));
    assertThatThrownBy(() -> FolderFormat.read(disk))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("format")
        .hasMessageContaining("is damaged")
        .hasMessageContaining("restore the file")
        .hasMessageContaining("a member of a group starts with an empty folder and joins again");
  }

  @Test
  void thatOfANewerVersionSaysWhichIsNeeded() {
    String text = "mgtm data folder\nversion=3\nmember=%s\n".formatted(new UUID(1, 1));
    disk.write(FolderFormat.NAME, text.getBytes(UTF_8));
    assertThatThrownBy(() -> FolderFormat.read(disk))
        .hasMessageContaining("start the newer program");
  }
}

package io.mgtm.ha.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IncarnationTest {
  @TempDir private Path folder;

  @Test
  void countsStartsFromTheSecondOfTheFirst() throws Exception {
    assertThat(Incarnation.next(folder, 7_999)).isEqualTo(7);
    assertThat(Incarnation.next(folder, 3_000)).isEqualTo(8);
    assertThat(Incarnation.next(folder, 20_000)).isEqualTo(20);
  }

  @Test
  void countsAboveAnEarlierOneThatOthersHaveHeardOf() throws Exception {
    assertThat(Incarnation.next(folder, 7_999)).isEqualTo(7);
    Incarnation.above(folder, 500);
    assertThat(Incarnation.next(folder, 9_000)).isGreaterThan(501);
  }

  @Test
  void aFullDiskIsNamedByItsFile() throws Exception {
    Path file = folder.resolve("incarnation.new");
    Files.createSymbolicLink(file, Path.of("/dev/full"));
    assertThatThrownBy(() -> Incarnation.next(folder, 1_000))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot write " + file + ": No space left on device");
  }

  @Test
  void aDamagedFileIsNotGuessed() throws Exception {
    Files.writeString(folder.resolve("incarnation"), "seven");
    assertThatThrownBy(() -> Incarnation.next(folder, 1_000))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is damaged");
  }
}

package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  @TempDir Path temp;

  private static AbstractThrowableAssert<?, ?> assertRefused(Path folder, Category category) {
    return assertThatThrownBy(() -> DataDirectory.open(folder).close())
        .isInstanceOfSatisfying(
            LogException.class, e -> assertThat(e.category()).isEqualTo(category));
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aNewFolderIsMadeWithAllAboveAndKeepsItsMember() {
    Path folder = temp.resolve("a/b/c");
    UUID member;
    try (DataDirectory directory = DataDirectory.open(folder)) {
      member = directory.member();
      assertThat(directory.path()).isEqualTo(folder);
    }
    try (DataDirectory directory = DataDirectory.open(folder)) {
      assertThat(directory.member()).isEqualTo(member);
    }
  }

  @Test
  void theLockSaysWhoseItIs() throws IOException {
    DataDirectory.open(temp).close();
    assertThat(temp.resolve("lock"))
        .content()
        .startsWith(ProcessHandle.current().pid() + ", started 20")
        .hasSize(128);
  }

  @Test
  void aSecondOpeningInTheSameProcessIsRefused() {
    try (DataDirectory directory = DataDirectory.open(temp)) {
      assertRefused(directory.path(), Category.IN_USE)
          .hasMessageContaining("this process itself")
          .hasMessageContaining("choose another folder");
    }
    DataDirectory.open(temp).close();
  }

  @Test
  void aFolderOfSomethingElseIsRefusedAndLeftAlone() throws IOException {
    Files.writeString(temp.resolve("PG_VERSION"), "15");
    assertRefused(temp, Category.FORMAT).hasMessageContaining("\"PG_VERSION\"");
    assertThat(names(temp)).containsExactly("PG_VERSION");
  }

  @Test
  void aFreshMountPointIsAnEmptyFolder() throws IOException {
    Files.createDirectory(temp.resolve("lost+found"));
    DataDirectory.open(temp).close();
    assertThat(names(temp)).containsExactly("format", "lock", "lost+found");
  }

  @Test
  void anInterruptedFirstStartIsTakenUp() throws IOException {
    Files.createFile(temp.resolve("lock"));
    Files.writeString(temp.resolve("format.tmp"), "mgt");
    DataDirectory.open(temp).close();
    assertThat(names(temp)).containsExactly("format", "lock");
  }

  @Test
  void aNewerVersionIsRefusedWithBothVersions() throws IOException {
    DataDirectory.open(temp).close();
    Path format = temp.resolve("format");
    Files.writeString(format, Files.readString(format).replace("version=2", "version=3\nnew=x"));
    assertRefused(temp, Category.FORMAT)
        .hasMessageContaining("says data version 3")
        .hasMessageContaining("reads versions 1 to 2")
        .hasMessageContaining("start the newer program");
  }

  @Test
  void anEarlierVersionIsReadAndThenRefusedByTheProgramThatWroteIt() throws IOException {
    DataDirectory.open(temp).close();
    Path format = temp.resolve("format");
    String ours = Files.readString(format);
    Files.writeString(format, ours.replace("version=2", "version=1"));
    DataDirectory.open(temp).close();
    assertThat(format).hasContent(ours);
  }

  @Test
  void aBrokenFormatFileIsRefused() throws IOException {
    DataDirectory.open(temp).close();
    Path format = temp.resolve("format");
    String sound = Files.readString(format);
    for (String broken :
        List.of("", "hello", sound.replace("member=", "member=x"), sound.replace("=2", "=two"))) {
      Files.writeString(format, broken);
      assertRefused(temp, Category.FORMAT);
    }
    Files.writeString(format, sound);
    DataDirectory.open(temp).close();
  }

  @Test
  void aFileInThePlaceOfTheFolderIsRefused() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    assertRefused(file, Category.ACCESS).hasMessageContaining("is a file");
    assertRefused(file.resolve("below"), Category.ACCESS);
  }

  @Test
  void aLinkToAFolderIsFollowed() throws IOException {
    Path link =
        Files.createSymbolicLink(temp.resolve("link"), Files.createDirectory(temp.resolve("d")));
    try (DataDirectory directory = DataDirectory.open(link)) {
      assertThat(directory.path()).isEqualTo(link);
      assertRefused(temp.resolve("d"), Category.IN_USE);
    }
  }
}

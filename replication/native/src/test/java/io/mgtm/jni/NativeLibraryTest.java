package io.mgtm.jni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What cannot be loaded says why; the resources are in src/test/resources. */
class NativeLibraryTest {

  @BeforeEach
  void onlyWhereResourcesAre() {
    String platform = NativeLibrary.platform();
    Assumptions.assumeTrue(
        platform.equals("linux-x86_64") || platform.equals("linux-aarch64"),
        "no test resources for " + platform);
    Assumptions.assumeTrue(
        System.getProperty(NativeLibrary.PATH_PROPERTY) == null, "libraries are not from the jar");
  }

  @Test
  void aLibraryThatCouldNotBeBuiltTellsTheReasonOfTheBuild() {
    assertThat(NativeLibrary.load("test_missing"))
        .isEqualTo(Availability.no("this jar was built without a part that the test wants"));
  }

  @Test
  void aLibraryOfAnotherPlatformIsNamed() {
    assertThat(NativeLibrary.load("test_absent").reason())
        .contains("no libtest_absent.so for " + NativeLibrary.platform());
  }

  @Test
  void aChangedLibraryIsNotLoadedAndNoFileIsLeft() throws IOException {
    assertThat(NativeLibrary.load("test_changed").reason()).contains("checksum");
    assertThat(NativeLibrary.load("test_unchecked").reason()).contains("checksum");
    assertThat(NativeLibrary.load("test_garbage").reason()).contains("libtest_garbage.so cannot");
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      assertThat(files.filter(it -> it.toString().contains("libtest_"))).isEmpty();
    }
  }

  @Test
  void heapMemoryHasNoAddress() {
    assertThatThrownBy(() -> Memory.address(ByteBuffer.allocate(8)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void errnosAreFoundByNumberAndByText() {
    assertThat(Errno.of(28)).isEqualTo(Errno.ENOSPC);
    assertThat(Errno.of(9999)).isEqualTo(Errno.UNKNOWN);
    assertThat(Errno.ofText("No space left on device")).isEqualTo(Errno.ENOSPC);
    assertThat(Errno.ofText("?")).isEqualTo(Errno.UNKNOWN);
  }
}

package io.mgtm.group.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.LogException.Category;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class IoErrorsTest {
  @Test
  void theSystemsReasonsGetTheirCategory() {
    assertThat(IoErrors.categoryOf(new IOException("No space left on device")))
        .isEqualTo(Category.NO_SPACE);
    assertThat(IoErrors.categoryOf(new FileSystemException("a", null, "Disk quota exceeded")))
        .isEqualTo(Category.NO_SPACE);
    assertThat(IoErrors.categoryOf(new AccessDeniedException("a"))).isEqualTo(Category.ACCESS);
    assertThat(IoErrors.categoryOf(new FileSystemException("a", null, "Read-only file system")))
        .isEqualTo(Category.ACCESS);
    assertThat(IoErrors.categoryOf(new IOException("Input/output error"))).isEqualTo(Category.IO);
    assertThat(IoErrors.categoryOf(new IOException((String) null))).isEqualTo(Category.IO);
  }

  @Test
  void theSentenceSaysWhatWhereAndWhatToDo() {
    assertThat(IoErrors.of("write", Path.of("/data/x"), new IOException("No space left on device")))
        .hasMessageContaining("Cannot write /data/x")
        .hasMessageContaining("No space left on device")
        .hasMessageContaining("free some space");
    assertThat(IoErrors.of("open", Path.of("/data/x"), new AccessDeniedException("/data/x")))
        .hasMessageContaining("permission denied")
        .hasMessageContaining("read and write access");
  }
}

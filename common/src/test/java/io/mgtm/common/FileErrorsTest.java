package io.mgtm.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class FileErrorsTest {
  @Test
  void noNameOfAClassIsShown() {
    assertThat(FileErrors.reason(new NoSuchFileException("/f")))
        .isEqualTo("there is no such file or folder");
    assertThat(FileErrors.reason(new EOFException())).isEqualTo("it ends too early");
    assertThat(FileErrors.reason(new ZipException("bad header"))).isEqualTo("bad header");
    assertThat(FileErrors.reason(new FileSystemException("/f", null, "Too many open files")))
        .isEqualTo("Too many open files");
    for (IOException silent :
        new IOException[] {new IOException(), new FileSystemException("/f")}) {
      assertThat(FileErrors.reason(silent)).isEqualTo("the system does not say why");
    }
    assertThat(Cli.why(new NullPointerException()))
        .isEqualTo("an error in the program, which the log shows");
  }
}

package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.jni.Availability;
import io.mgtm.jni.Errno;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is chosen and said where io_uring works, and where it does not. */
class FlashAvailabilityTest {

  @TempDir Path folder;

  @Test
  void theBestEngineThatWorksIsChosen() throws IOException {
    Availability answer = Flash.available();
    try (FlashFile file = Flash.open(folder.resolve("a"), FlashOptions.readWrite().creating())) {
      assertThat(file.engine())
          .isEqualTo(answer.usable() ? FlashEngine.IO_URING : FlashEngine.FILE_CHANNEL);
    }
  }

  @Test
  void anEngineThatDoesNotWorkIsRefusedWithTheReason() throws IOException {
    Availability answer = Flash.available();
    FlashOptions options = FlashOptions.readWrite().creating().withEngine(FlashEngine.IO_URING);
    Path path = folder.resolve("a");
    if (answer.usable()) {
      Flash.open(path, options).close();
      assertThat(answer.reason()).isEmpty();
    } else {
      assertThatThrownBy(() -> Flash.open(path, options))
          .isInstanceOfSatisfying(
              FlashException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSYS))
          .hasRootCauseMessage(answer.reason());
      assertThat(path).doesNotExist();
    }
  }
}

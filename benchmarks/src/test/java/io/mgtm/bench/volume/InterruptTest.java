package io.mgtm.bench.volume;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that are waited for end with the wait. */
class InterruptTest {
  private static final List<String> ENDLESS = List.of("tail", "-f", "/dev/null");

  @TempDir Path folder;

  @Test
  void aServerThatIsNotReadyYetEnds() {
    endsByInterrupt(() -> Servant.start("server", folder, ENDLESS, () -> false));
  }

  @Test
  void aProgramEnds() {
    endsByInterrupt(() -> Exec.run(60, ENDLESS));
  }

  private static void endsByInterrupt(ThrowingCallable work) {
    Thread.currentThread().interrupt();
    assertThatThrownBy(work).isInstanceOf(InterruptedException.class);
    Await.until("the program has ended", () -> !isRunning());
  }

  private static boolean isRunning() {
    return ProcessHandle.current()
        .children()
        .anyMatch(child -> child.info().command().orElse("").endsWith("tail"));
  }
}

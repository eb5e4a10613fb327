package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.jni.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Errors name the operation, the place, the length and the system's error. */
class FlashErrorTest {

  private static final int BLOCK = 4096;

  @TempDir Path folder;

  static List<Engine> engines() {
    return Engine.all();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void openingSaysWhy(Engine engine) throws IOException {
    FlashOptions options = engine.options();
    assertErrno(() -> Flash.open(folder.resolve("none"), options), Errno.ENOENT);
    assertErrno(
        () -> Flash.open(folder, FlashOptions.readOnly().withEngine(options.engine())),
        Errno.EISDIR);
    assertErrno(
        () -> Flash.open(folder.resolve("x".repeat(300)), options.creating()), Errno.ENAMETOOLONG);
    assertThatThrownBy(() -> Flash.open(folder.resolve("none"), options))
        .hasMessageContaining("open of")
        .hasMessageContaining("ENOENT (No such file or directory)");
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aFailedWriteTellsWhereAndWhy(Engine engine) throws IOException {
    long far = 1L << 60;
    try (Rig rig = new Rig(engine, folder, 2, 0)) {
      AlignedBuffer buffer = rig.buffer();
      rig.queue.write(rig.file, 1, far, buffer, 0, BLOCK, false);
      Rig.Outcome outcome = rig.outcome(1);
      assertThat(outcome.bytes()).isZero();
      FlashException error = outcome.error();
      assertThat(error.errno()).isIn(Errno.EFBIG, Errno.EINVAL);
      assertThat(error.operation()).isEqualTo("write");
      assertThat(error.offset()).isEqualTo(far);
      assertThat(error.lengthBytes()).isEqualTo(BLOCK);
      assertThat(error.code()).isEqualTo(error.errno().code());
      assertThat(error)
          .hasMessageContaining("write of 4096 bytes at offset " + far + " of " + rig.path)
          .hasMessageContaining(error.errno().name());
      rig.queue.sync(rig.file, 2);
      rig.done(2, 0);
      buffer.release();
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aQueueIsOpenedOnlyWithWhatFitsTogether(Engine engine) throws IOException {
    try (FlashFile file = Flash.open(folder.resolve("a"), engine.options().creating());
        FlashFile other =
            Flash.open(
                folder.resolve("a"),
                FlashOptions.readWrite().withEngine(FlashEngine.FILE_CHANNEL))) {
      for (int depth : new int[] {0, -1, FlashQueue.DEPTH_MAX + 1}) {
        assertThatThrownBy(() -> Flash.openQueue(depth, List.of(file), List.of()))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> Flash.openQueue(1, List.of(), List.of()))
          .isInstanceOf(IllegalArgumentException.class);
      if (engine.engine() == FlashEngine.IO_URING) {
        assertThatThrownBy(() -> Flash.openQueue(1, List.of(file, other), List.of()))
            .hasMessageContaining("one engine");
      }
      FlashQueue largest = Flash.openQueue(FlashQueue.DEPTH_MAX, List.of(file), List.of());
      largest.close();
    }
    assertThat(Files.size(folder.resolve("a"))).isZero();
  }

  private static void assertErrno(ThrowingCallable call, Errno errno) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(FlashException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }
}

package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What nobody closed is closed when nobody can reach it. */
class ForgottenTest {

  private static final int BLOCK = 4096;

  @TempDir Path folder;

  static List<Engine> engines() {
    return Engine.all();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void theCleanerClosesFilesAndRingsAndReturnsBuffers(Engine engine) throws Exception {
    Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no /proc here");
    BufferPool pool = BufferPool.of(4, BLOCK);
    Path path = folder.resolve("forgotten");
    forget(engine, pool, path);
    long end = System.nanoTime() + 180_000_000_000L;
    while ((pool.available() < 4 || openDescriptors(path) > 0) && System.nanoTime() < end) {
      System.gc();
    }
    assertThat(pool.available()).isEqualTo(4);
    assertThat(openDescriptors(path)).isZero();
    assertThat(Files.size(path)).isEqualTo(BLOCK);
  }

  @ParameterizedTest
  @MethodSource("engines")
  void closingLeavesNoDescriptor(Engine engine) throws IOException {
    Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc/self/fd")), "no /proc here");
    Path path = folder.resolve("closed");
    openAndClose(engine, path);
    long before = descriptors();
    for (int i = 0; i < 200; i++) {
      openAndClose(engine, path);
    }
    assertThat(descriptors()).isLessThan(before + 20); // the JVM may open some of its own
  }

  private static void openAndClose(Engine engine, Path path) throws IOException {
    try (FlashFile file = Flash.open(path, engine.options().creating());
        FlashQueue queue = Flash.openQueue(2, List.of(file), List.of())) {
      queue.sync(file, 1);
      queue.submit();
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.count();
    }
  }

  private static void forget(Engine engine, BufferPool pool, Path path) throws IOException {
    FlashFile file = Flash.open(path, engine.options().creating());
    FlashQueue queue = Flash.openQueue(2, List.of(file), List.of(pool));
    AlignedBuffer buffer = pool.tryAcquire();
    queue.write(file, 1, 0, buffer, 0, BLOCK, true);
    queue.submit();
    queue.write(file, 1, 0, buffer, 0, BLOCK, true);
    buffer.release();
    assertThat(openDescriptors(path)).isEqualTo(1);
  }

  private static long openDescriptors(Path path) throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(it -> pointsTo(it, path)).count();
    }
  }

  private static boolean pointsTo(Path descriptor, Path path) {
    try {
      return Files.readSymbolicLink(descriptor).equals(path);
    } catch (IOException e) {
      return false; // it was closed meanwhile
    }
  }
}

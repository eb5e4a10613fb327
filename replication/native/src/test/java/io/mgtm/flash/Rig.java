package io.mgtm.flash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A file, a pool and a queue of one engine. */
final class Rig implements AutoCloseable {

  private static final long SOON_NS = 180_000_000_000L;

  /** What a completion said. */
  record Outcome(long tag, int bytes, FlashException error) {}

  final Path path;
  final FlashFile file;
  final BufferPool pool;
  final FlashQueue queue;
  final byte[] bytes = new byte[4096];

  Rig(Engine engine, Path folder, int depth, long sizeBytes) throws IOException {
    path = folder.resolve("file");
    file = Flash.open(path, engine.options().creating());
    file.resize(sizeBytes);
    pool = BufferPool.of(40, 8192);
    queue = Flash.openQueue(depth, List.of(file), List.of(pool));
  }

  AlignedBuffer buffer() {
    AlignedBuffer buffer = pool.tryAcquire();
    assertThat(buffer).isNotNull();
    return buffer;
  }

  void fill(AlignedBuffer buffer, byte value) {
    for (int at = 0; at < buffer.capacityBytes(); at++) {
      buffer.bytes().put(at, value);
    }
  }

  static byte[] copy(AlignedBuffer buffer, int length) {
    byte[] copy = new byte[length];
    buffer.bytes().get(0, copy);
    return copy;
  }

  /** A completion that does not matter. */
  static void ignore(long tag, int bytes, FlashException error) {
    assertThat(error).isNull();
  }

  /** Waits for the only operation in flight. */
  Outcome outcome(long tag) throws FlashException {
    Outcome[] outcome = new Outcome[1];
    int delivered =
        queue.await(1, SOON_NS, (t, bytes, error) -> outcome[0] = new Outcome(t, bytes, error));
    assertThat(delivered).isEqualTo(1);
    assertThat(outcome[0].tag()).isEqualTo(tag);
    return outcome[0];
  }

  /** Waits for the only operation in flight, which must succeed. */
  void done(long tag, int bytesExpected) throws FlashException {
    Outcome outcome = outcome(tag);
    assertThat(outcome.error()).isNull();
    assertThat(outcome.bytes()).isEqualTo(bytesExpected);
  }

  @Override
  public void close() {
    queue.close();
    file.close();
    pool.close();
  }
}

package io.mgtm.ha.watchdog;

import io.mgtm.ha.model.ClusterConfig;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The memory that controller and watchdog share, a mapped file of 64-bit numbers, each written by
 * one side. Times are those of {@code System.nanoTime}, which is CLOCK_MONOTONIC on Linux and so
 * the same in all processes until the machine boots. Any thread.
 *
 * <pre>
 *  0 boot       of which boot the others are
 * 16 beat       when the watchdog was last seen; the watchdog's, emptied before it is started
 * 24 guard      the version of guard.json that it has read; the watchdog's
 * 32 stop       1 asks the watchdog to end; the controller's
 * 40 format     the version of guard.json's form that it reads; the watchdog's
 * 64 ...        deadlines, one for each slot; the controller's
 * </pre>
 */
final class SharedFile {
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** How many hierarchies have a deadline of their own. */
  static final int SLOTS = ClusterConfig.HIERARCHIES_MAX;

  /** With steps that are ended side by side; a watchdog that cannot read them has 0. */
  static final long FORMAT = 1;

  private static final int DEADLINES = 64;
  private static final int BYTES = DEADLINES + SLOTS * Long.BYTES;
  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  /** What there is in it, by its place. */
  enum Field {
    BOOT(0),
    BEAT(16),
    GUARD(24),
    STOP(32),
    FORMAT(40);

    private final int offset;

    Field(int offset) {
      this.offset = offset;
    }
  }

  private final ByteBuffer memory;

  private SharedFile(ByteBuffer memory) {
    this.memory = memory;
  }

  /** Opens it, and empties one that is of an earlier boot. */
  static SharedFile open(Path folder) throws IOException {
    Path file = folder.resolve("deadline");
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      SharedFile shared = new SharedFile(channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES));
      long boot = Files.readString(BOOT_ID).strip().hashCode() | 1L << 32;
      if (shared.get(Field.BOOT) != boot) {
        for (Field field : Field.values()) {
          shared.set(field, 0);
        }
        for (int slot = 0; slot < SLOTS; slot++) {
          shared.setDeadline(slot, 0);
        }
        shared.set(Field.BOOT, boot);
      }
      return shared;
    }
  }

  long get(Field field) {
    return (long) LONG.getVolatile(memory, field.offset);
  }

  void set(Field field, long value) {
    LONG.setVolatile(memory, field.offset, value);
  }

  /** Until when a hierarchy may run; 0 when that was never said. */
  long deadline(int slot) {
    return (long) LONG.getVolatile(memory, DEADLINES + slot * Long.BYTES);
  }

  void setDeadline(int slot, long nanos) {
    LONG.setVolatile(memory, DEADLINES + slot * Long.BYTES, nanos);
  }

  /** Whether a hierarchy may still run; not before a deadline was ever said. */
  boolean mayRun(int slot, long nowNanos) {
    long deadline = deadline(slot);
    return deadline != 0 && deadline - nowNanos > 0;
  }
}

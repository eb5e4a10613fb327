package io.mgtm.group.core.sim;

import io.mgtm.group.Durability;
import java.nio.ByteBuffer;

/**
 * A state machine like the GTM's in small: registers, a session table against repetition, and
 * numbers handed out below a mark that runs ahead.
 */
final class SimMachine {
  static final int REGISTERS = 3;
  static final int CLIENTS = 4;
  private static final long STEP = 4;

  final long[] registers = new long[REGISTERS];
  private final long[] lastSequence = new long[CLIENTS];
  private final long[] lastReply = new long[CLIENTS];
  private final long[] lastIndex = new long[CLIENTS];
  private long used;
  private long covered = STEP;
  private long reserved = 2 * STEP;

  /** What applying gave; the index is that of the entry that first did it. */
  record Result(boolean changed, long reply, long index, Durability durability) {}

  /** Applies a change that is, or will be, the entry of an index. */
  Result apply(Operation operation, long index) {
    int client = operation.client();
    if (operation.sequence() <= lastSequence[client]) {
      return new Result(false, lastReply[client], lastIndex[client], Durability.BUFFERED);
    }
    Durability durability = Durability.BUFFERED;
    long reply = 0;
    switch (operation.kind()) {
      case WRITE -> registers[operation.register()] = operation.value();
      case WRITE_FORCED -> {
        registers[operation.register()] = operation.value();
        durability = Durability.REQUIRED;
      }
      case ALLOCATE -> {
        if (used == covered) {
          covered = reserved;
          reserved += STEP;
          durability = Durability.AHEAD;
        }
        reply = used++;
      }
      case READ -> throw new IllegalArgumentException("a read is not applied");
    }
    lastSequence[client] = operation.sequence();
    lastReply[client] = reply;
    lastIndex[client] = index;
    return new Result(true, reply, index, durability);
  }

  /** Acknowledged entries that were not forced may be missing before this one. */
  void entriesMayBeMissing() {
    used = reserved;
    covered = used + STEP;
    reserved = used + 2 * STEP;
  }

  long digest() {
    long digest = used * 31 + covered;
    digest = digest * 31 + reserved;
    for (long register : registers) {
      digest = digest * 1_000_003 + register;
    }
    for (int i = 0; i < CLIENTS; i++) {
      digest = ((digest * 1_000_003 + lastSequence[i]) * 31 + lastReply[i]) * 31 + lastIndex[i];
    }
    return digest;
  }

  ByteBuffer checkpoint(boolean forgetSessions) {
    ByteBuffer buffer = ByteBuffer.allocate(8 * (3 + REGISTERS + 3 * CLIENTS));
    buffer.putLong(used).putLong(covered).putLong(reserved);
    for (long register : registers) {
      buffer.putLong(register);
    }
    for (int i = 0; i < CLIENTS && !forgetSessions; i++) {
      buffer.putLong(lastSequence[i]).putLong(lastReply[i]).putLong(lastIndex[i]);
    }
    return buffer.rewind();
  }

  void restore(ByteBuffer checkpoint) {
    ByteBuffer buffer = checkpoint.duplicate();
    used = buffer.getLong();
    covered = buffer.getLong();
    reserved = buffer.getLong();
    for (int i = 0; i < REGISTERS; i++) {
      registers[i] = buffer.getLong();
    }
    for (int i = 0; i < CLIENTS; i++) {
      lastSequence[i] = buffer.getLong();
      lastReply[i] = buffer.getLong();
      lastIndex[i] = buffer.getLong();
    }
  }
}

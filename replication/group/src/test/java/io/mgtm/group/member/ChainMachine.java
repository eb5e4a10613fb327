package io.mgtm.group.member;

import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A state that depends on every byte of every entry and on their order. Its checkpoint is padded to
 * several sectors, so that a torn one shows.
 */
class ChainMachine implements StateMachine {
  private long count;
  private long hash;
  private long last;
  private long missingAt;
  private volatile boolean checkpointsRefused;
  private boolean checkpointsSmall;

  static long chain(long hash, ByteBuffer payload) {
    CRC32C crc = new CRC32C();
    crc.update(payload.duplicate());
    return Long.rotateLeft(hash * 0x9E3779B97F4A7C15L, 23) + crc.getValue() + 1;
  }

  /** The leader's own way: it applies, and appends afterwards. */
  void applyOwn(ByteBuffer payload) {
    hash = chain(hash, payload);
    count++;
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    if (index <= last) {
      throw new IllegalStateException("entry %d was applied after %d".formatted(index, last));
    }
    last = index;
    applyOwn(payload);
  }

  @Override
  public void entriesMayBeMissing(long index, boolean keptByClients) {
    missingAt = index;
  }

  @Override
  public StatePicture picture() {
    long countNow = count;
    long hashNow = hash;
    return pieces -> pieces.accept(ByteBuffer.wrap(encoded(countNow, hashNow)));
  }

  private byte[] encoded(long countThen, long hashThen) {
    if (checkpointsRefused) {
      throw new IllegalStateException("no checkpoint now");
    }
    byte[] bytes = new byte[16 + (checkpointsSmall ? 0 : (int) (hashThen >>> 53))];
    ByteBuffer.wrap(bytes).putLong(countThen).putLong(hashThen);
    for (int i = 16; i < bytes.length; i++) {
      bytes[i] = (byte) (hashThen >>> i % 8);
    }
    return bytes;
  }

  @Override
  public Runnable load(Pieces encoded) {
    ByteBuffer checkpoint = encoded.rest();
    return () -> restore(checkpoint);
  }

  private void restore(ByteBuffer checkpoint) {
    count = checkpoint.getLong();
    hash = checkpoint.getLong();
    if (checkpoint.hasRemaining() && checkpoint.remaining() != (int) (hash >>> 53)) {
      throw new IllegalStateException("the checkpoint has a wrong size");
    }
    for (int i = 16; checkpoint.hasRemaining(); i++) {
      if (checkpoint.get() != (byte) (hash >>> i % 8)) {
        throw new IllegalStateException("the checkpoint's padding is wrong");
      }
    }
  }

  void refuseCheckpoints(boolean refuse) {
    checkpointsRefused = refuse;
  }

  void keepCheckpointsSmall() {
    checkpointsSmall = true;
  }

  /** Where it was told last that entries may be missing, since it was made; 0 for nowhere. */
  long missingAt() {
    return missingAt;
  }

  long count() {
    return count;
  }

  long hash() {
    return hash;
  }
}

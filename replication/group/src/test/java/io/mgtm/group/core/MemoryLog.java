package io.mgtm.group.core;

import io.mgtm.group.LogException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A log without a disk: what is appended is synced, and nothing is ever given back. */
final class MemoryLog implements CoreLog {
  private final List<Entry> entries = new ArrayList<>();

  /** Nothing behind it gets synced. */
  long syncedAtMost = Long.MAX_VALUE;

  /** What a full disk can hold. */
  long entriesMax = Long.MAX_VALUE;

  @Override
  public long baseIndex() {
    return 0;
  }

  @Override
  public long lastIndex() {
    return entries.size();
  }

  @Override
  public long durableIndex() {
    return Math.min(entries.size(), syncedAtMost);
  }

  @Override
  public long termAt(long index) {
    return index == 0 ? 0 : entries.get((int) index - 1).term();
  }

  @Override
  public List<Entry> read(long fromIndex, int bytesMax) {
    return List.copyOf(entries.subList((int) fromIndex - 1, entries.size()));
  }

  @Override
  public boolean hasRoom() {
    return entries.size() < entriesMax;
  }

  @Override
  public void append(Entry entry) {
    if (!hasRoom()) {
      throw new LogException(LogException.Category.NO_SPACE, "the disk is full");
    }
    entries.add(entry);
  }

  @Override
  public void truncate(long fromIndex) {
    entries.subList((int) fromIndex - 1, entries.size()).clear();
  }

  @Override
  public void requestForce() {}

  @Override
  public Checkpoint newestCheckpoint() {
    return null;
  }

  @Override
  public ByteBuffer read(Checkpoint checkpoint, long offset, int bytesMax) {
    return null;
  }

  @Override
  public void receive(Checkpoint checkpoint, long offset, ByteBuffer piece) {
    throw new UnsupportedOperationException("nothing was given back");
  }

  @Override
  public void install(Checkpoint checkpoint) {
    throw new UnsupportedOperationException("nothing was given back");
  }
}

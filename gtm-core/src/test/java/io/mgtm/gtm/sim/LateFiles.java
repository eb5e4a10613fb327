package io.mgtm.gtm.sim;

import io.mgtm.group.storage.MappedFile;
import io.mgtm.group.storage.StorageFiles;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A planted fault: what a member notes of terms and votes reaches the disk late, or never. */
final class LateFiles implements StorageFiles {
  private static final String TERM = "term";

  private final StorageFiles files;
  private final SimProcess process;
  private final boolean never;
  private final Deque<Runnable> late = new ArrayDeque<>();
  private boolean planted;

  /**
   * Files without a fault until {@link #plant}.
   *
   * @param never whether it never reaches the disk
   */
  LateFiles(StorageFiles files, SimProcess process, boolean never) {
    this.files = files;
    this.process = process;
    this.never = never;
  }

  /** The member has started. */
  void plant() {
    planted = true;
  }

  private void maybeLate(String name, Runnable change) {
    if (!planted || !name.startsWith(TERM)) {
      change.run();
    } else if (!never) {
      late.add(change);
      process.world.afterMs(15, () -> process.run(() -> late.poll().run()));
    }
  }

  @Override
  public List<String> list() {
    return files.list();
  }

  @Override
  public MappedFile create(String name, int bytes) {
    return files.create(name, bytes);
  }

  @Override
  public MappedFile map(String name) {
    return files.map(name);
  }

  @Override
  public byte[] read(String name) {
    return files.read(name);
  }

  @Override
  public byte[] read(String name, long offset, int bytes) {
    return files.read(name, offset, bytes);
  }

  @Override
  public void append(String name, ByteBuffer content) {
    files.append(name, content);
  }

  @Override
  public void write(String name, byte[] content) {
    maybeLate(name, () -> files.write(name, content));
  }

  @Override
  public void force(String name) {
    maybeLate(name, () -> files.force(name));
  }

  @Override
  public void rename(String from, String to) {
    maybeLate(from, () -> files.rename(from, to));
  }

  @Override
  public void delete(String name) {
    files.delete(name);
  }

  @Override
  public void forceDirectory() {
    files.forceDirectory();
  }

  @Override
  public String describe(String name) {
    return files.describe(name);
  }
}

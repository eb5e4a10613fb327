package io.mgtm.gtm.sim;

import io.mgtm.group.LogException;
import io.mgtm.group.storage.MappedFile;
import io.mgtm.group.storage.StorageFiles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** A planted fault: what a member notes in a file reaches the disk late, or never. */
final class LateFiles implements StorageFiles {
  static final long NEVER = -1;

  private final StorageFiles files;
  private final SimNode node;
  private final String name;
  private final long lateMs;
  private final Deque<Runnable> late = new ArrayDeque<>();
  private boolean planted;

  /**
   * Files without a fault until {@link #plant}.
   *
   * @param name the file's
   * @param lateMs {@link #NEVER} when nothing of it reaches the disk
   */
  LateFiles(StorageFiles files, SimNode node, String name, long lateMs) {
    this.files = files;
    this.node = node;
    this.name = name;
    this.lateMs = lateMs;
  }

  /** The member has started. */
  void plant() {
    planted = true;
  }

  private void maybeLate(String of, Runnable change) {
    if (!planted || !of.startsWith(name)) {
      change.run();
    } else if (lateMs != NEVER) {
      late.add(change);
      node.world.afterMs(lateMs, () -> node.run(this::changeLate));
    }
  }

  private void changeLate() {
    try {
      late.poll().run();
    } catch (LogException e) {
      node.fatal(e); // the disk fails, which is no mistake of the node
    }
  }

  private MappedFile late(String of, MappedFile mapped) {
    return of.startsWith(name) ? new LateMapping(mapped) : mapped;
  }

  /** What is stored reaches the file when it is forced, late or never. */
  private final class LateMapping implements MappedFile {
    private final MappedFile mapped;
    private final ByteBuffer stored;

    LateMapping(MappedFile mapped) {
      this.mapped = mapped;
      this.stored = ByteBuffer.allocate(mapped.buffer().capacity()).order(ByteOrder.LITTLE_ENDIAN);
      stored.put(0, mapped.buffer(), 0, stored.capacity());
    }

    @Override
    public ByteBuffer buffer() {
      return stored;
    }

    @Override
    public void zero(int offset, int bytes) {
      stored.put(offset, new byte[bytes]);
    }

    @Override
    public void rewrite(int offset, int bytes) {
      // A force writes all of its range.
    }

    @Override
    public void force(int offset, int bytes) {
      byte[] content = new byte[bytes];
      stored.get(offset, content);
      maybeLate(
          name,
          () -> {
            mapped.buffer().put(offset, content);
            mapped.rewrite(offset, bytes);
            mapped.force(offset, bytes);
          });
    }
  }

  @Override
  public List<String> list() {
    return files.list();
  }

  @Override
  public MappedFile create(String of, int bytes) {
    return late(of, files.create(of, bytes));
  }

  @Override
  public MappedFile map(String of) {
    return late(of, files.map(of));
  }

  @Override
  public byte[] read(String of) {
    return files.read(of);
  }

  @Override
  public byte[] read(String of, long offset, int bytes) {
    return files.read(of, offset, bytes);
  }

  @Override
  public void append(String of, ByteBuffer content) {
    files.append(of, content);
  }

  @Override
  public void write(String of, byte[] content) {
    maybeLate(of, () -> files.write(of, content));
  }

  @Override
  public void force(String of) {
    maybeLate(of, () -> files.force(of));
  }

  @Override
  public void rename(String from, String to) {
    maybeLate(from, () -> files.rename(from, to));
  }

  @Override
  public void delete(String of) {
    files.delete(of);
  }

  @Override
  public void forceDirectory() {
    files.forceDirectory();
  }

  @Override
  public String describe(String of) {
    return files.describe(of);
  }
}

package io.mgtm.group.quorumdisk;

import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A quorum disk in memory, which takes simulated time: a read sees each slot at another moment, a
 * write is there in part for a while, and stays so when its process dies.
 */
public final class SimulatedQuorumDisk {
  private final ByteBuffer bytes = ByteBuffer.allocate(DiskImage.BYTES);
  private final List<String> nodes;
  private final UUID disk;
  private final Mistake mistake;
  private long header = 1;

  /** Mistakes that must be found. */
  public enum Mistake {
    NONE,
    /** The answer leaves before the words are on disk. */
    ANSWERS_BEFORE_WRITING,
    /** What others have said is read from a cache. */
    READS_FROM_A_CACHE,
    /** All that was written is gone when a process begins, and the disk seems to be the same. */
    WORDS_FORGOTTEN
  }

  /** What a process has of the simulated world. */
  public interface World {
    /** Does something after a random time, also when the process has died. */
    void later(Runnable task);

    /** The same after a long time. */
    void muchLater(Runnable task);

    /** Whether an operator gives its node another slot though it needs none. */
    boolean isRenewed();

    /** Whether the process lives. */
    boolean isAlive();
  }

  /** A disk with a slot for each node. */
  public SimulatedQuorumDisk(UUID disk, List<String> nodes, Mistake mistake) {
    this.disk = disk;
    this.nodes = new ArrayList<>(nodes);
    this.mistake = mistake;
    for (int slot = 0; slot < DiskImage.SLOTS_MAX; slot++) {
      put(DiskImage.offset(slot, 0), DiskImage.half(0, new byte[0]));
    }
    putHeader();
  }

  private void putHeader() {
    header++;
    put(
        DiskImage.headerOffset(header),
        DiskImage.half(header, DiskImage.header(disk, "simulated", nodes)));
  }

  private void put(int offset, ByteBuffer half) {
    bytes.put(offset, half, 0, half.capacity());
  }

  private DiskImage image(ByteBuffer of) {
    try {
      return DiskImage.of(of);
    } catch (DamageException e) {
      throw new AssertionError(e);
    }
  }

  /** The way of a member's process to others and to the disk. An operator renews its slot first. */
  public Transport transport(
      Transport network,
      MemberId member,
      List<String> configured,
      CoreSettings settings,
      BiConsumer<Long, Runnable> after,
      LongSupplier clockMs,
      World world) {
    renew(member, world.isRenewed());
    QuorumDiskTransport transport =
        new QuorumDiskTransport(
            network, member.name(), configured, settings, after::accept, clockMs);
    transport.use("simulated", owner -> new Io(owner, world));
    return transport;
  }

  private void renew(MemberId member, boolean more) {
    boolean anyhow = more && nodes.size() < DiskImage.SLOTS_MAX / 2;
    DiskImage now = image(bytes);
    int slot = now.slotOf(member.name());
    Optional<Words> words = now.said().get(slot).words();
    if (mistake == Mistake.WORDS_FORGOTTEN) {
      for (int each = 0; each < nodes.size(); each++) {
        put(DiskImage.offset(each, 1), ByteBuffer.allocate(DiskImage.HALF_BYTES));
        put(DiskImage.offset(each, 0), DiskImage.half(0, new byte[0]));
      }
    } else if (words.isPresent() && (anyhow || !words.get().writer().equals(member))) {
      nodes.add(member.name());
      putHeader();
    }
  }

  private record Written(int offset, ByteBuffer half) {}

  private final class Io implements DiskIo {
    private final Executor owner;
    private final World world;
    private final Map<Integer, Written> written = new HashMap<>();
    private ByteBuffer cache;
    private boolean closed;

    Io(Executor owner, World world) {
      this.owner = owner;
      this.world = world;
    }

    @Override
    public void read(BiConsumer<DiskImage, String> then) {
      readOn(ByteBuffer.allocate(DiskImage.offset(nodes.size() + 2, 0)), 0, then);
    }

    private void readOn(ByteBuffer into, int slot, BiConsumer<DiskImage, String> then) {
      int from = slot == 0 ? 0 : DiskImage.offset(slot, 0);
      int to = DiskImage.offset(slot + 1, 0);
      world.later(
          () -> {
            into.put(from, bytes, from, to - from);
            if (to < into.capacity()) {
              readOn(into, slot + 1, then);
            } else {
              told(() -> tell(seen(into), then));
            }
          });
    }

    private void tell(ByteBuffer all, BiConsumer<DiskImage, String> then) {
      try {
        then.accept(DiskImage.of(all), null);
      } catch (DamageException e) {
        if (mistake == Mistake.NONE) {
          throw new AssertionError(e);
        }
        then.accept(null, e.getMessage());
      }
    }

    /** What this process sees, which knows what it has written itself. */
    private ByteBuffer seen(ByteBuffer read) {
      ByteBuffer all = read;
      if (mistake == Mistake.READS_FROM_A_CACHE) {
        if (cache == null) {
          cache = read;
          world.muchLater(() -> cache = null);
        }
        all = ByteBuffer.allocate(cache.capacity()).put(0, cache, 0, cache.capacity());
      }
      for (Written own : written.values()) {
        all.put(own.offset(), own.half(), 0, DiskImage.HALF_BYTES);
      }
      return all;
    }

    @Override
    public void write(int slot, long number, byte[] content, Consumer<String> then) {
      ByteBuffer half = DiskImage.half(number, content);
      int offset = DiskImage.offset(slot, number);
      if (mistake == Mistake.ANSWERS_BEFORE_WRITING || mistake == Mistake.READS_FROM_A_CACHE) {
        written.put(offset, new Written(offset, half));
      }
      if (mistake == Mistake.ANSWERS_BEFORE_WRITING) {
        told(() -> then.accept(null));
        world.muchLater(() -> put(offset, half));
        return;
      }
      world.later(
          () -> {
            if (world.isAlive()) {
              bytes.put(offset, half, 0, DiskImage.HALF_BYTES / 64);
              world.later(() -> finish(offset, half, then));
            }
          });
    }

    private void finish(int offset, ByteBuffer half, Consumer<String> then) {
      if (world.isAlive()) {
        put(offset, half);
        told(() -> then.accept(null));
      }
    }

    private void told(Runnable what) {
      world.later(
          () -> {
            if (world.isAlive() && !closed) {
              owner.execute(what);
            }
          });
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}

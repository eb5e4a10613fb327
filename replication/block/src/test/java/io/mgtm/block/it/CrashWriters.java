package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Clients of one volume that write at random until told to stop or until the volume is gone, and
 * know of each block which version was answered and which was issued last.
 *
 * <p>Three of them write short runs, side by side within the same chunks: a block's writer is
 * chosen by its stripe of four blocks. The fourth writes longer runs in the other half.
 */
final class CrashWriters {
  static final int BLOCK = 4096;
  static final int BLOCKS = 8192;
  private static final int STRIPE = 4;
  private static final int STRIPED_WRITERS = 3;

  private final int blocks;
  private final int stripedBlocks;
  private final AtomicLongArray acked;
  private final AtomicLongArray issued;
  private final AtomicLongArray flushed;
  private final AtomicLong version = new AtomicLong();
  private final AtomicLong requests = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean writing;
  private volatile AssertionError failure;

  /** Of a volume of {@link #BLOCKS}. */
  CrashWriters() {
    this(BLOCKS);
  }

  CrashWriters(int blocks) {
    this.blocks = blocks;
    stripedBlocks = blocks / 2;
    acked = new AtomicLongArray(blocks);
    issued = new AtomicLongArray(blocks);
    flushed = new AtomicLongArray(blocks);
  }

  /** Begins to write to the volume at {@code socket}; {@code seed} says what. */
  void start(Path socket, String export, long seed) {
    writing = true;
    for (int i = 0; i <= STRIPED_WRITERS; i++) {
      int number = i;
      Thread thread =
          new Thread(
              () -> write(socket, export, number, new Random(seed + number)), "writer-" + number);
      threads.add(thread);
      thread.start();
    }
  }

  /** Waits for the last answers. */
  void stop() throws InterruptedException {
    writing = false;
    for (Thread thread : threads) {
      thread.join(180_000);
      assertThat(thread.isAlive()).as("%s still runs", thread.getName()).isFalse();
    }
    threads.clear();
    if (failure != null) {
      throw failure;
    }
  }

  /** Requests answered so far. */
  long requests() {
    return requests.get();
  }

  /** Waits until so many more requests are answered, by a volume that lives. */
  void awaitAnswered(int more) {
    long until = requests() + more;
    Await.until("clients write", () -> requests() >= until || failure != null);
  }

  /** Of each block the newest version whose write was answered. */
  long[] answered() {
    return copy(acked);
  }

  /** Of each block the newest version that a flush, or a write with FUA, was answered for. */
  long[] flushed() {
    return copy(flushed);
  }

  private long[] copy(AtomicLongArray versions) {
    long[] copy = new long[blocks];
    for (int block = 0; block < blocks; block++) {
      copy[block] = versions.get(block);
    }
    return copy;
  }

  /** A block has another version than was answered: what was not flushed was lost with a disk. */
  void found(int block, long older) {
    acked.set(block, older);
  }

  /** The newest version of the block that was ever sent. */
  long issued(int block) {
    return issued.get(block);
  }

  private void write(Path socket, String export, int number, Random random) {
    try (NbdClient client = new NbdClient(socket, export)) {
      while (writing) {
        if (random.nextInt(20) == 0) {
          flush(client);
        } else if (number < STRIPED_WRITERS) {
          int stripe = random.nextInt(stripedBlocks / STRIPE / STRIPED_WRITERS);
          int inside = random.nextInt(STRIPE);
          int first = (stripe * STRIPED_WRITERS + number) * STRIPE + inside;
          writeRun(client, first, 1 + random.nextInt(STRIPE - inside), random.nextInt(10) == 0);
        } else {
          int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 40 : 3);
          int first = stripedBlocks + random.nextInt(blocks - stripedBlocks - count);
          writeRun(client, first, count, random.nextInt(10) == 0);
        }
        requests.incrementAndGet();
      }
    } catch (IOException e) {
      // The source was killed: that is what this is about.
      writing = false;
    } catch (AssertionError e) {
      failure = e;
    }
  }

  private void flush(NbdClient client) throws IOException {
    long[] covered = answered();
    succeed(client.flush());
    for (int block = 0; block < blocks; block++) {
      flushed.accumulateAndGet(block, covered[block], Math::max);
    }
  }

  private void writeRun(NbdClient client, int first, int count, boolean fua) throws IOException {
    long mine = version.incrementAndGet();
    ByteBuffer data = ByteBuffer.allocate(count * BLOCK);
    for (int block = first; block < first + count; block++) {
      issued.set(block, mine);
      for (int i = 0; i < BLOCK; i += 16) {
        data.putLong(block).putLong(mine);
      }
    }
    succeed(client.write((long) first * BLOCK, data.array(), fua));
    for (int block = first; block < first + count; block++) {
      acked.set(block, mine);
      if (fua) {
        flushed.accumulateAndGet(block, mine, Math::max);
      }
    }
  }

  private static void succeed(int error) {
    assertThat(error).as("the volume's answer").isZero();
  }
}

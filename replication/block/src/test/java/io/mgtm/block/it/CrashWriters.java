package io.mgtm.block.it;

import static org.assertj.core.api.Assertions.assertThat;

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
  private static final int STRIPED_BLOCKS = BLOCKS / 2;

  private final AtomicLongArray acked = new AtomicLongArray(BLOCKS);
  private final AtomicLongArray issued = new AtomicLongArray(BLOCKS);
  private final AtomicLong version = new AtomicLong();
  private final AtomicLong requests = new AtomicLong();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean writing;
  private volatile AssertionError failure;

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
      thread.join(60_000);
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

  /** Of each block the newest version whose write was answered. */
  long[] answered() {
    long[] copy = new long[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      copy[block] = acked.get(block);
    }
    return copy;
  }

  /** The newest version of the block that was ever sent. */
  long issued(int block) {
    return issued.get(block);
  }

  private void write(Path socket, String export, int number, Random random) {
    try (NbdClient client = new NbdClient(socket, export)) {
      while (writing) {
        if (random.nextInt(20) == 0) {
          succeed(client.flush());
        } else if (number < STRIPED_WRITERS) {
          int stripe = random.nextInt(STRIPED_BLOCKS / STRIPE / STRIPED_WRITERS);
          int inside = random.nextInt(STRIPE);
          int first = (stripe * STRIPED_WRITERS + number) * STRIPE + inside;
          writeRun(client, first, 1 + random.nextInt(STRIPE - inside), random.nextInt(10) == 0);
        } else {
          int count = 1 + random.nextInt(random.nextInt(5) == 0 ? 40 : 3);
          int first = STRIPED_BLOCKS + random.nextInt(BLOCKS - STRIPED_BLOCKS - count);
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
    }
  }

  private static void succeed(int error) {
    assertThat(error).as("the volume's answer").isZero();
  }
}

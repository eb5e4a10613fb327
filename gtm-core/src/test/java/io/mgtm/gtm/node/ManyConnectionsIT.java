package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of connections are held and each is answered. */
class ManyConnectionsIT {
  private static final int WANTED = 5_000;
  private static final int LEAST = 1_000;
  private static final int OTHER_FILES = 300;
  private static final long MEMORY_BYTES_MAX = 32L << 20;

  @TempDir Path folder;

  /** Both ends of a connection are this process's, which may have only so many files. */
  private static int connections() {
    var system = ManagementFactory.getOperatingSystemMXBean();
    if (system instanceof UnixOperatingSystemMXBean unix) {
      long free = unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount();
      return (int) Math.min(WANTED, (free - OTHER_FILES) / 2);
    }
    return WANTED;
  }

  @Test
  void thousandsOfConnectionsAreHeldAndAnswered() throws IOException {
    holdAndAnswer(3);
  }

  @Test
  @Tag("long")
  void soTheyAreByOneThread() throws IOException {
    holdAndAnswer(1);
  }

  private void holdAndAnswer(int ioThreads) throws IOException {
    int count = connections();
    assumeThat(count).as("the limit of open files (ulimit -n) is too low").isGreaterThan(LEAST);
    if (count < WANTED) {
      System.out.printf("Only %d connections: ulimit -n allows no more%n", count);
    }
    try (TestGtm gtm = TestGtm.in(folder).ioThreads(ioThreads).start()) {
      long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        clients.add(gtm.backend());
      }
      int first = clients.get(0).begin();
      for (int i = 1; i < count; i++) {
        assertThat(clients.get(i).begin()).isEqualTo(first + i);
      }
      assertThat(clients.get(0).openTransactions()).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        assertThat(clients.get(i).commit(first + i)).isTrue();
      }
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before)
          .isLessThan(MEMORY_BYTES_MAX);
    }
  }
}

package io.mgtm.block.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlainRangesTest {
  private static final int SIZE = 1 << 20;

  @TempDir Path folder;

  @Test
  void zeroingWithoutTheSystemsHelpGivesTheSame() throws Exception {
    Path path = folder.resolve("file");
    byte[] filled = new byte[SIZE];
    Arrays.fill(filled, (byte) 7);
    Files.write(path, filled);
    try (FileChannel channel =
            FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        PlainRanges plain = new PlainRanges(channel)) {
      plain.zero(1000, 150_001, true);
      plain.zero(1000, 150_001, true);
      plain.zero(500_000, 10, false);
      assertThat(plain.extentAt(5, 77)).isEqualTo(77);
    }
    byte[] bytes = Files.readAllBytes(path);
    for (int at = 0; at < SIZE; at++) {
      boolean zero = (at >= 1000 && at < 151_001) || (at >= 500_000 && at < 500_010);
      assertThat(bytes[at]).isEqualTo((byte) (zero ? 0 : 7));
    }
  }

  @Test
  void aFullDiskIsToldApart() {
    StoreException full =
        StoreException.of("write", 5, 6, new IOException("No space left on device"));
    assertThat(full.errno()).isEqualTo(StoreException.ENOSPC);
    assertThat(full).hasMessage("write of 6 bytes at offset 5 failed: No space left on device");
  }
}

package io.mgtm.block.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BitmapFileTest {
  private static final int CHUNK_BYTES = 65_536;
  private static final int CHUNKS = 70_000;

  @TempDir Path folder;
  private Path path;

  @BeforeEach
  void choosePath() {
    path = folder.resolve("bitmap");
  }

  private void write(int... chunks) throws IOException {
    IntentBitmap bitmap = new IntentBitmap(CHUNKS);
    for (int chunk : chunks) {
      bitmap.set(chunk);
    }
    Map<Integer, byte[]> pages = new HashMap<>();
    ChunkSet stale = bitmap.beginBatch();
    for (int page = stale.next(0); page >= 0; page = stale.next(page + 1)) {
      byte[] bytes = new byte[IntentBitmap.PAGE_BYTES];
      bitmap.copyPage(page, bytes);
      pages.put(page, bytes);
    }
    try (BitmapFile file = BitmapFile.create(path, CHUNK_BYTES, CHUNKS)) {
      file.write(pages);
    }
  }

  @Test
  void bitsComeBackDurable() throws IOException {
    write(0, 31, 32_767, 32_768, 69_999);
    IntentBitmap loaded = new IntentBitmap(CHUNKS);
    BitmapFile.open(path, CHUNK_BYTES, loaded).close();
    assertThat(loaded.cardinality()).isEqualTo(5);
    assertThat(loaded.set(69_999)).as("durable").isTrue();
    assertThat(loaded.set(32_768)).isTrue();
    assertThat(loaded.isStale()).isFalse();
  }

  @Test
  void aFileOfAnotherChunkSizeIsRefused() throws IOException {
    write(1);
    assertThatThrownBy(() -> BitmapFile.open(path, 2 * CHUNK_BYTES, new IntentBitmap(CHUNKS)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("65536 bytes");
    assertThatThrownBy(() -> BitmapFile.open(path, CHUNK_BYTES, new IntentBitmap(10)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aDamagedHeaderIsRefused() throws IOException {
    write(1);
    for (int at = 0; at < 28; at++) {
      try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
        file.seek(at);
        int old = file.read();
        file.seek(at);
        file.write(old ^ 0x10);
      }
      assertThatThrownBy(() -> BitmapFile.open(path, CHUNK_BYTES, new IntentBitmap(CHUNKS)))
          .isInstanceOf(IOException.class);
      write(1);
    }
  }

  @Test
  void aSmallerFileServesAGrownVolume() throws IOException {
    write(5);
    IntentBitmap grown = new IntentBitmap(CHUNKS * 2);
    BitmapFile.open(path, CHUNK_BYTES, grown).close();
    assertThat(grown.cardinality()).isEqualTo(1);
    IntentBitmap again = new IntentBitmap(CHUNKS * 2);
    BitmapFile.open(path, CHUNK_BYTES, again).close();
    assertThat(again.isDurable(5)).isTrue();
  }
}

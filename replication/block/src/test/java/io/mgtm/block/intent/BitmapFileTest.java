package io.mgtm.block.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BitmapFileTest {
  private static final int CHUNK_BYTES = 65_536;
  private static final int CHUNKS = 70_000;
  private static final Opening OPENING = new Opening(3, 30);

  @TempDir Path folder;
  private Path path;

  @BeforeEach
  void choosePath() {
    path = folder.resolve("bitmap");
  }

  private static Map<Integer, byte[]> stalePages(IntentBitmap bitmap) {
    Map<Integer, byte[]> pages = new HashMap<>();
    ChunkSet stale = bitmap.beginBatch();
    for (int page = stale.next(0); page >= 0; page = stale.next(page + 1)) {
      byte[] bytes = new byte[IntentBitmap.PAGE_BYTES];
      bitmap.copyPage(page, bytes);
      pages.put(page, bytes);
    }
    return pages;
  }

  private static IntentBitmap bitmapOf(int size, int... chunks) {
    IntentBitmap bitmap = new IntentBitmap(size);
    for (int chunk : chunks) {
      bitmap.set(chunk);
    }
    return bitmap;
  }

  private void write(int... chunks) throws IOException {
    try (BitmapFile file = BitmapFile.create(path, CHUNK_BYTES, CHUNKS, OPENING)) {
      file.write(stalePages(bitmapOf(CHUNKS, chunks)));
    }
  }

  private IntentBitmap load(int size) throws IOException {
    IntentBitmap loaded = new IntentBitmap(size);
    BitmapFile.open(path, CHUNK_BYTES, loaded).close();
    return loaded;
  }

  private void assertDamaged(int size, String why) {
    assertThatThrownBy(() -> load(size))
        .isInstanceOf(BitmapFile.Damage.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining(why);
  }

  private static List<Integer> bits(IntentBitmap bitmap) {
    List<Integer> set = new ArrayList<>();
    for (int chunk = bitmap.bits().next(0); chunk >= 0; chunk = bitmap.bits().next(chunk + 1)) {
      set.add(chunk);
    }
    return set;
  }

  @Test
  void bitsThatOnlyThePageCacheHeldAreDurableOnceTheyAreLoaded() throws IOException {
    MemoryFile medium = new MemoryFile();
    BitmapFile file =
        BitmapFile.format("bitmap", medium, CHUNK_BYTES, new IntentBitmap(CHUNKS), OPENING);
    medium.failForces(true);
    assertThatThrownBy(() -> file.write(stalePages(bitmapOf(CHUNKS, 31, 69_999))))
        .isInstanceOf(IOException.class);
    medium.failForces(false);
    IntentBitmap loaded = new IntentBitmap(CHUNKS);
    BitmapFile found = BitmapFile.open("bitmap", medium, CHUNK_BYTES, loaded);
    assertThat(found.opening()).isEqualTo(OPENING);
    found.begin(loaded, new Opening(4, 40));
    assertThat(loaded.isDurable(31)).isTrue();
    medium.loseCache();
    IntentBitmap afterThePowerFailed = new IntentBitmap(CHUNKS);
    BitmapFile later = BitmapFile.open("bitmap", medium, CHUNK_BYTES, afterThePowerFailed);
    assertThat(later.opening()).isEqualTo(new Opening(4, 40));
    assertThat(bits(afterThePowerFailed)).containsExactly(31, 69_999);
  }

  @Test
  void bitsComeBackDurable() throws IOException {
    write(0, 31, 4031, 4032, 32_255, 32_256, 69_999);
    IntentBitmap loaded = load(CHUNKS);
    assertThat(bits(loaded)).containsExactly(0, 31, 4031, 4032, 32_255, 32_256, 69_999);
    assertThat(loaded.set(69_999)).as("durable").isTrue();
    assertThat(loaded.set(32_256)).isTrue();
    assertThat(loaded.isStale()).isFalse();
  }

  @Test
  void aFileForOtherChunksIsOfNoUse() throws IOException {
    write(1);
    assertThatThrownBy(() -> BitmapFile.open(path, 2 * CHUNK_BYTES, new IntentBitmap(CHUNKS)))
        .isInstanceOf(BitmapFile.Damage.class)
        .hasMessageContaining("65536 bytes");
    assertDamaged(CHUNKS + 1, "is for 70000 chunks");
  }

  @Test
  void aMissingFileIsDamage() {
    assertDamaged(CHUNKS, "is missing");
  }

  @Test
  void everyTurnedBitIsFound() throws IOException {
    write(1, 40_000);
    byte[] good = Files.readAllBytes(path);
    for (int at = 0; at < good.length; at += at < 600 ? 1 : 61) {
      if (at >= 44 && at < 4096) {
        continue; // The rest of the header's page holds nothing.
      }
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << (at % 8));
      Files.write(path, bad);
      assertDamaged(CHUNKS, "");
    }
    Files.write(path, good);
    assertThat(bits(load(CHUNKS))).containsExactly(1, 40_000);
  }

  @Test
  void aShortenedFileIsDamage() throws IOException {
    write(1, 40_000);
    byte[] good = Files.readAllBytes(path);
    for (int length : new int[] {0, 10, 28, 4096, 4097, good.length - 1}) {
      Files.write(path, Arrays.copyOf(good, length));
      assertDamaged(CHUNKS, "");
    }
  }

  @Test
  void aSectorInAnothersPlaceIsDamage() throws IOException {
    write(1);
    byte[] bytes = Files.readAllBytes(path);
    System.arraycopy(bytes, 4096, bytes, 4096 + 512, 512);
    Files.write(path, bytes);
    assertDamaged(CHUNKS, "sector 1");
  }

  @Test
  void aGrownFileHasTheOldBitsAndRoomForNewOnes() throws IOException {
    write(5);
    try (BitmapFile file = BitmapFile.open(path, CHUNK_BYTES, new IntentBitmap(CHUNKS))) {
      file.grow(3 * CHUNKS);
      IntentBitmap bitmap = bitmapOf(3 * CHUNKS, 5, CHUNKS, 3 * CHUNKS - 1);
      file.write(stalePages(bitmap));
      file.grow(2 * CHUNKS);
    }
    assertThat(bits(load(3 * CHUNKS))).containsExactly(5, CHUNKS, 3 * CHUNKS - 1);
    assertThat(bits(load(2 * CHUNKS))).as("a crash before the state grew").contains(5, CHUNKS);
  }

  /** As version 1 of this program wrote it. */
  private void writeVersion1(int chunks, int length, int... set) throws IOException {
    ByteBuffer file = ByteBuffer.allocate(length);
    file.putLong(0x4d47544d42495453L).putInt(1).putInt(CHUNK_BYTES).putLong(chunks);
    CRC32C crc = new CRC32C();
    crc.update(file.array(), 0, 24);
    file.putInt((int) crc.getValue());
    for (int chunk : set) {
      int at = 4096 + chunk / 8;
      file.put(at, (byte) (file.get(at) | (1 << (chunk % 8))));
    }
    Files.write(path, file.array());
  }

  @Test
  void aFileOfVersion1IsReadAndWrittenAnew() throws IOException {
    writeVersion1(CHUNKS, 4 * 4096, 0, 32_767, 32_768, 69_999);
    assertThat(bits(load(CHUNKS))).containsExactly(0, 32_767, 32_768, 69_999);
    assertThat(Files.readAllBytes(path)[11]).as("its version").isEqualTo((byte) 3);
    assertThat(bits(load(CHUNKS))).containsExactly(0, 32_767, 32_768, 69_999);
  }

  @Test
  void aFileOfVersion1ThatIsShortOrSmallerThanTheVolumeIsDamage() throws IOException {
    writeVersion1(CHUNKS, 4096, new int[0]);
    assertDamaged(CHUNKS, "too early");
    writeVersion1(CHUNKS, 4 * 4096, 5);
    assertDamaged(2 * CHUNKS, "is for 70000 chunks");
  }
}

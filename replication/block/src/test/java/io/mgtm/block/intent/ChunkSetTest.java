package io.mgtm.block.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkSetTest {
  @Test
  void behavesLikeABitSetUnderRandomOperations() {
    Random random = new Random(20_240_817);
    for (int size : new int[] {1, 63, 64, 65, 4096, 4097, 300_000}) {
      ChunkSet set = new ChunkSet(size);
      BitSet model = new BitSet(size);
      for (int i = 0; i < 3000; i++) {
        int chunk = random.nextInt(size);
        switch (random.nextInt(6)) {
          case 0, 1 -> {
            assertThat(set.add(chunk)).isEqualTo(!model.get(chunk));
            model.set(chunk);
          }
          case 2 -> {
            assertThat(set.remove(chunk)).isEqualTo(model.get(chunk));
            model.clear(chunk);
          }
          case 4 -> {
            int to = chunk + random.nextInt(size - chunk + 1);
            int found = model.nextSetBit(chunk);
            assertThat(set.intersects(chunk, to)).isEqualTo(found >= 0 && found < to);
          }
          case 3 -> assertThat(set.next(chunk)).isEqualTo(model.nextSetBit(chunk));
          default -> {
            assertThat(set.contains(chunk)).isEqualTo(model.get(chunk));
            if (random.nextInt(300) == 0) {
              set.clear();
              model.clear();
            }
          }
        }
        assertThat(set.cardinality()).isEqualTo(model.cardinality());
      }
    }
  }

  @Test
  void growsWithoutLosingWhatItHolds() {
    ChunkSet set = new ChunkSet(70);
    set.add(69);
    set.grow(5000);
    set.add(4999);
    assertThat(set.next(0)).isEqualTo(69);
    assertThat(set.next(70)).isEqualTo(4999);
    assertThat(set.next(5000)).isEqualTo(-1);
    assertThatThrownBy(() -> set.grow(10)).hasMessageContaining("cannot shrink");
  }

  @Test
  void refusesChunksOutsideItsRange() {
    ChunkSet set = new ChunkSet(64);
    assertThatThrownBy(() -> set.add(64)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> set.contains(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }
}

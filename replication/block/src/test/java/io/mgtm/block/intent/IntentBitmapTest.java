package io.mgtm.block.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IntentBitmapTest {
  private final IntentBitmap bitmap = new IntentBitmap(100_000);

  @Test
  void aBitIsDurableOnlyAfterTheBatchThatCarriesIt() {
    assertThat(bitmap.set(7)).isFalse();
    assertThat(bitmap.isUrgent()).isTrue();
    bitmap.beginBatch();
    assertThat(bitmap.set(7)).isFalse();
    assertThat(bitmap.isUrgent()).as("the batch under way carries it").isFalse();
    bitmap.endBatch(true);
    assertThat(bitmap.set(7)).isTrue();
  }

  @Test
  void aBitSetDuringABatchWaitsForTheNext() {
    bitmap.set(1);
    bitmap.beginBatch();
    bitmap.set(2);
    bitmap.endBatch(true);
    assertThat(bitmap.isDurable(1)).isTrue();
    assertThat(bitmap.isDurable(2)).isFalse();
    assertThat(bitmap.isUrgent()).isTrue();
  }

  @Test
  void aBitClearedAndSetAgainDuringABatchIsNotDurableByThatBatch() {
    bitmap.set(3);
    bitmap.beginBatch();
    bitmap.clear(3);
    assertThat(bitmap.set(3)).isFalse();
    bitmap.endBatch(true);
    assertThat(bitmap.isDurable(3)).isFalse();
    assertThat(bitmap.isUrgent()).isTrue();
  }

  @Test
  void aFailedBatchLeavesItsBitsPendingAndItsPagesStale() {
    bitmap.set(40_000);
    bitmap.beginBatch();
    bitmap.endBatch(false);
    assertThat(bitmap.isDurable(40_000)).isFalse();
    assertThat(bitmap.isUrgent()).isTrue();
    assertThat(bitmap.isStale()).isTrue();
  }

  @Test
  void clearingMakesAPageStaleButNotUrgent() {
    bitmap.load(5);
    bitmap.clear(5);
    assertThat(bitmap.isUrgent()).isFalse();
    assertThat(bitmap.isStale()).isTrue();
    ChunkSet pages = bitmap.beginBatch();
    assertThat(pages.next(0)).isZero();
    byte[] page = new byte[IntentBitmap.PAGE_BYTES];
    bitmap.copyPage(0, page);
    assertThat(page).containsOnly(0);
  }

  @Test
  void onlyOneBatchIsUnderWay() {
    bitmap.set(1);
    bitmap.beginBatch();
    assertThatThrownBy(bitmap::beginBatch).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> bitmap.grow(200_000)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void pagesCoverTheLastChunk() {
    assertThat(IntentBitmap.pagesFor(1)).isEqualTo(1);
    assertThat(IntentBitmap.pagesFor(32_256)).isEqualTo(1);
    assertThat(IntentBitmap.pagesFor(32_257)).isEqualTo(2);
    bitmap.set(99_999);
    byte[] page = new byte[IntentBitmap.PAGE_BYTES];
    bitmap.copyPage(3, page);
    int bit = 99_999 - 3 * 32_256;
    assertThat(page[bit / 8]).isEqualTo((byte) (1 << (bit % 8)));
  }
}

package io.mgtm.block.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.block.intent.IntentBitmap;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which bits are set ahead, which stay, and which go. */
class ReplicaSlotTest {
  private static final int CHUNK = 10;
  private static final int CHUNKS = 40;

  private final IntentBitmap bitmap = new IntentBitmap(CHUNKS);

  /** A slot with groups of four chunks. */
  private ReplicaSlot slot(int keptChunks) {
    CoreTiming timing = new CoreTiming(1, 1, (long) keptChunks * CHUNK, 4 * CHUNK);
    return new ReplicaSlot("peer", CHUNK, timing, bitmap, false);
  }

  private static Change write(int chunk) {
    return new Change().write((long) chunk * CHUNK + 1, CHUNK / 2, false, "");
  }

  private void persist() {
    bitmap.beginBatch();
    bitmap.endBatch(true);
  }

  /** A write whose bit is awaited, if it must be, and which is confirmed. */
  private void writeAndConfirm(ReplicaSlot slot, int chunk) {
    if (!slot.markIntent(write(chunk))) {
      persist();
    }
    slot.touch(write(chunk));
    slot.beginMark();
    slot.endMark(true);
  }

  private static void cool(ReplicaSlot slot) {
    slot.age();
    slot.age();
  }

  private void confirm(ReplicaSlot slot) {
    slot.beginMark();
    slot.endMark(true);
  }

  private List<Integer> bits() {
    List<Integer> set = new ArrayList<>();
    for (int chunk = bitmap.bits().next(0); chunk >= 0; chunk = bitmap.bits().next(chunk + 1)) {
      set.add(chunk);
    }
    return set;
  }

  @Test
  void aWriteThatWaitsForItsBitHasThoseAroundItSetToo() {
    ReplicaSlot slot = slot(CHUNKS);
    slot.attach();
    assertThat(slot.markIntent(write(6))).isFalse();
    assertThat(bits()).containsExactly(4, 5, 6, 7);
    persist();
    assertThat(slot.markIntent(write(6))).isTrue();
    assertThat(slot.markIntent(write(4))).as("its neighbour need not wait").isTrue();
    assertThat(slot.markIntent(write(8))).isFalse();
  }

  @Test
  void theLastGroupEndsWithTheVolume() {
    CoreTiming timing = new CoreTiming(1, 1, 0, 16 * CHUNK);
    ReplicaSlot slot = new ReplicaSlot("peer", CHUNK, timing, bitmap, false);
    slot.attach();
    slot.markIntent(write(39));
    assertThat(bits()).hasSize(8).startsWith(32).endsWith(39);
  }

  @Test
  void bitsStaySetUpToTheBound() {
    ReplicaSlot slot = slot(8);
    slot.attach();
    writeAndConfirm(slot, 0);
    writeAndConfirm(slot, 20);
    cool(slot);
    assertThat(slot.needsMark()).isFalse();
    confirm(slot);
    assertThat(bits()).hasSize(8).contains(0, 20);
  }

  @Test
  void beyondTheBoundColdGroupsGoAndWarmOnesStay() {
    ReplicaSlot slot = slot(8);
    slot.attach();
    writeAndConfirm(slot, 0);
    cool(slot);
    for (int chunk : new int[] {12, 20, 30}) {
      writeAndConfirm(slot, chunk);
    }
    assertThat(bits()).as("only the first is cold").hasSize(12).doesNotContain(0, 1, 2, 3);
    assertThat(slot.needsMark()).as("too many are set still").isTrue();
    cool(slot);
    slot.touch(write(13));
    confirm(slot);
    assertThat(bits()).hasSize(8).contains(13).contains(12);
  }

  @Test
  void noBitGoesOfAChunkThatIsNotConfirmed() {
    ReplicaSlot slot = slot(0);
    slot.attach();
    slot.markIntent(write(3));
    persist();
    slot.touch(write(3));
    slot.beginMark();
    slot.touch(write(3));
    cool(slot);
    slot.endMark(true);
    assertThat(bits()).as("written again while the mark ran").contains(3);
    slot.beginMark();
    slot.endMark(false);
    assertThat(bits()).as("the mark failed").contains(3);
    confirm(slot);
    assertThat(bits()).isEmpty();
  }

  @Test
  void withoutALinkTheBitsAreExact() {
    ReplicaSlot slot = slot(CHUNKS);
    slot.attach();
    writeAndConfirm(slot, 6);
    slot.touch(write(9));
    slot.detach();
    slot.markIntent(write(30));
    persist();
    slot.touch(write(30));
    slot.age();
    assertThat(slot.isExact()).isFalse();
    assertThat(bits()).as("9 was touched without its bit").containsExactly(30);
    slot.markIntent(write(9));
    assertThat(bits()).containsExactly(9, 30);
    assertThat(slot.isExact()).isTrue();
  }

  @Test
  void aSideThatStopsClearsWhatIsConfirmedHoweverRecent() {
    ReplicaSlot slot = slot(CHUNKS);
    slot.attach();
    writeAndConfirm(slot, 6);
    assertThat(slot.needsMark()).isFalse();
    slot.retire();
    assertThat(slot.needsMark()).isTrue();
    confirm(slot);
    assertThat(bits()).isEmpty();
    assertThat(slot.isExact()).isTrue();
  }
}

package io.mgtm.group.total;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.total.OriginTable.Verdict;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OriginTableTest {
  private static final MemberId G1 = new MemberId("g1", new UUID(1, 1));
  private static final MemberId G1_EMPTIED = new MemberId("g1", new UUID(1, 2));
  private final OriginTable table = new OriginTable();

  @Test
  void proposalsOfAProcessFollowEachOther() {
    assertThat(table.check(G1, 3, 2)).isEqualTo(Verdict.GAP);
    assertThat(table.check(G1, 3, 1)).isEqualTo(Verdict.NEXT);
    table.applied(G1, 3, 1, 10);
    assertThat(table.check(G1, 3, 1)).isEqualTo(Verdict.REPEAT);
    assertThat(table.check(G1, 3, 2)).isEqualTo(Verdict.NEXT);
    assertThat(table.check(G1, 3, 3)).isEqualTo(Verdict.GAP);
    assertThat(table.last(G1, 3)).isEqualTo(1);
  }

  @Test
  void aNewProcessBeginsAnewAndTheOneBeforeIsHeardNoMore() {
    table.applied(G1, 3, 1, 10);
    assertThat(table.check(G1, 4, 2)).isEqualTo(Verdict.GAP);
    assertThat(table.check(G1, 4, 1)).isEqualTo(Verdict.NEXT);
    table.applied(G1, 4, 1, 11);
    assertThat(table.check(G1, 3, 2)).isEqualTo(Verdict.REPEAT);
    assertThat(table.last(G1, 3)).isZero();
  }

  @Test
  void anEmptiedFolderTakesThePlaceOfTheFormerOne() {
    table.applied(G1, 9, 50, 10);
    assertThat(table.check(G1_EMPTIED, 1, 1)).isEqualTo(Verdict.NEXT);
    table.applied(G1_EMPTIED, 1, 1, 11);
    assertThat(table.last(G1_EMPTIED, 1)).isEqualTo(1);
  }

  @Test
  void itIsTheSameAfterItWasEncodedAndRestored() {
    table.applied(G1, 3, 7, 10);
    OriginTable restored = new OriginTable();
    restored.restore(ByteBuffer.wrap(table.encoded()));
    assertThat(restored.encoded()).isEqualTo(table.encoded());
    assertThat(restored.check(G1, 3, 7)).isEqualTo(Verdict.REPEAT);
    assertThat(restored.check(G1, 3, 8)).isEqualTo(Verdict.NEXT);
    assertThatThrownBy(() -> restored.restore(ByteBuffer.allocate(4).putInt(0, -1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void itIsBoundedAndForgetsWhoWasSilentLongest() {
    for (int i = 0; i <= OriginTable.ORIGINS_MAX; i++) {
      table.applied(new MemberId("m" + i, new UUID(2, i)), 1, 1, 100 + i);
    }
    assertThat(table.last(new MemberId("m0", new UUID(2, 0)), 1)).isZero();
    assertThat(table.last(new MemberId("m1", new UUID(2, 1)), 1)).isEqualTo(1);
  }
}

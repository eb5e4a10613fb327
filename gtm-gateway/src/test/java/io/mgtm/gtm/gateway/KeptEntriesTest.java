package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.gtm.wire.link.LinkEntries;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a gateway keeps for the next leader. */
class KeptEntriesTest {
  private final KeptEntries kept = new KeptEntries();

  private static LinkEntries given(long term, long first, long stable, int... entries) {
    List<byte[]> bytes = new ArrayList<>();
    for (int entry : entries) {
      bytes.add(new byte[] {(byte) entry});
    }
    return new LinkEntries(term, first, stable, bytes);
  }

  private String presented() {
    StringBuilder text = new StringBuilder();
    for (LinkEntries piece : kept.pieces(1 << 20)) {
      text.append(piece.term()).append('/').append(piece.first()).append(':');
      piece.entries().forEach(entry -> text.append(' ').append(entry[0]));
    }
    return text.toString();
  }

  @Test
  void entriesAreKeptUntilTheyAreStable() {
    kept.add(given(3, 5, 4, 5, 6));
    kept.add(given(3, 7, 4, 7));
    assertThat(presented()).isEqualTo("3/5: 5 6 7");
    kept.add(given(3, 8, 6, 8));
    assertThat(presented()).isEqualTo("3/7: 7 8");
    kept.add(given(3, 9, 8));
    assertThat(presented()).isEmpty();
    kept.add(given(3, 12, 11, 12));
    assertThat(presented()).isEqualTo("3/12: 12");
  }

  @Test
  void whatComesAgainOverAnotherLinkIsKeptOnce() {
    kept.add(given(3, 5, 4, 5, 6));
    kept.add(given(3, 5, 4, 5, 6, 7));
    assertThat(presented()).isEqualTo("3/5: 5 6 7");
    assertThat(kept.size()).isEqualTo(3);
  }

  @Test
  void aGapIsRefused() {
    kept.add(given(3, 5, 4, 5));
    assertThatThrownBy(() -> kept.add(given(3, 7, 4, 7)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("entry 7 comes after 5");
  }

  @Test
  void entriesOfATermAreKeptUntilALaterLeaderServes() {
    kept.add(given(3, 5, 4, 5));
    kept.served(3);
    assertThat(presented()).isEqualTo("3/5: 5");
    kept.add(given(2, 9, 8, 9));
    assertThat(presented()).as("those of an older leader say nothing").isEqualTo("3/5: 5");
    kept.served(4);
    assertThat(presented()).isEmpty();
    kept.add(given(5, 2, 1, 2));
    kept.add(given(6, 3, 1, 3));
    assertThat(presented()).isEqualTo("6/3: 3");
    assertThat(kept.term()).isEqualTo(6);
  }

  @Test
  void theyArePresentedInPiecesThatFit() {
    kept.add(given(3, 5, 4, 5, 6, 7, 8));
    List<LinkEntries> pieces = kept.pieces(8);
    assertThat(pieces).hasSize(2);
    assertThat(pieces.get(0).first()).isEqualTo(5);
    assertThat(pieces.get(0).last()).isEqualTo(6);
    assertThat(pieces.get(1).first()).isEqualTo(7);
    assertThat(pieces.get(1).stable()).isEqualTo(6);
    assertThat(pieces.get(1).last()).isEqualTo(8);
  }

  @Test
  void tooManyAreRefused() {
    byte[] large = new byte[30 << 20];
    kept.add(new LinkEntries(1, 1, 0, List.of(large, large)));
    assertThatThrownBy(() -> kept.add(new LinkEntries(1, 3, 0, List.of(large))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes of entries to keep");
    kept.add(new LinkEntries(1, 3, 1, List.of(large)));
    assertThat(kept.size()).isEqualTo(2);
  }
}

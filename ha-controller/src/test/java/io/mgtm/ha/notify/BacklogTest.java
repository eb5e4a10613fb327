package io.mgtm.ha.notify;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.Event;
import io.mgtm.ha.model.EventKind;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class BacklogTest {
  private static List<Long> ids(Backlog backlog) {
    return backlog.events().stream().map(Event::id).toList();
  }

  @Test
  void isWhatCameAfterThePositionOfTheKindsThatAreWanted() {
    Backlog backlog =
        Backlog.of(States.of(1, 4, EventKind.NODE, EventKind.COPY), 1, EnumSet.of(EventKind.NODE));

    assertThat(ids(backlog)).containsExactly(3L);
    assertThat(backlog.upTo()).isEqualTo(4);
    assertThat(backlog.lost()).isZero();
  }

  @Test
  void isToldInPieces() {
    Backlog backlog = Backlog.of(States.of(1, 120, EventKind.NODE), 0, EnumSet.of(EventKind.NODE));

    assertThat(backlog.events()).hasSize(Backlog.EVENTS_MAX);
    assertThat(backlog.upTo()).isEqualTo(Backlog.EVENTS_MAX);
  }

  @Test
  void saysHowManyAreNotKeptAnyMore() {
    Backlog backlog = Backlog.of(States.of(10, 12, EventKind.NODE), 4, EnumSet.of(EventKind.NODE));

    assertThat(backlog.lost()).isEqualTo(5);
    assertThat(ids(backlog)).containsExactly(10L, 11L, 12L);
  }
}

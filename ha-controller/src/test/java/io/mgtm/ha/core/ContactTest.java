package io.mgtm.ha.core;

import static io.mgtm.ha.core.Clusters.DB;
import static io.mgtm.ha.core.Clusters.VOLUME;
import static io.mgtm.ha.core.Clusters.apply;
import static io.mgtm.ha.core.DecisionRows.BY_ITSELF;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.core.ClusterCommand.MarkCopies;
import io.mgtm.ha.core.ClusterCommand.Place;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ContactTest {
  private static final String PATH = "path1";

  private final Contact contact = new Contact();
  private final ClusterState state = Clusters.state(BY_ITSELF);

  private static Heartbeat of(long incarnation, long seq) {
    return new Heartbeat("test", "a1", incarnation, seq, 0, Seen.NOTHING, 0, Map.of(), null);
  }

  private void heard(Heartbeat heartbeat, long now) {
    assertThat(contact.heard(heartbeat, PATH, now)).isTrue();
    contact.last = heartbeat;
    contact.heardAt = now;
  }

  @Test
  void aLateHeartbeatOfAnEarlierIncarnationIsNoSignOfLife() {
    heard(of(5, 1), 100);
    heard(of(5, 2), 200);
    assertThat(contact.heard(of(5, 1), PATH, 300)).isFalse();
    assertThat(contact.heard(of(4, 9), PATH, 400)).isFalse();
    assertThat(contact.paths(500)).isEqualTo(Map.of(PATH, 200L));
  }

  @Test
  void whoCountsLowerIsOvertakenOnceTheEarlierOneIsSilent() {
    heard(of(5, 1), 100);
    long over = 100L + state.timing().leaseOverMs();
    assertThat(contact.overtakenBy(of(4, 1), state, over)).isZero();
    assertThat(contact.overtakenBy(of(4, 1), state, over + 1)).isEqualTo(5);
    assertThat(contact.overtakenBy(of(5, 1), state, over + 1)).isZero();
    assertThat(contact.overtakenBy(of(6, 1), state, over + 1)).isZero();
  }

  @Test
  void whoCountsLowerThanItsOwnMarkIsOvertakenAlthoughNothingWasHeard() {
    Mark mark = new Mark(1, 5, 1);
    ClusterState marked =
        apply(
            state,
            0,
            new Place(DB, "a1", 1, Set.of()),
            new MarkCopies(DB, VOLUME, mark, Set.of("a1"), Set.of()));
    assertThat(contact.overtakenBy(of(4, 1), marked, 0)).isEqualTo(5);
    assertThat(contact.overtakenBy(of(5, 1), marked, 0)).isZero();
    assertThat(marked.markedBy("a2")).isZero();
  }
}

package io.mgtm.query.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EntryTest {
  private static final ByteBuffer EFFECTS = ByteBuffer.wrap(new byte[] {1, 2, 3});

  private static final List<Entry> ALL =
      List.of(
          new Entry.Commits(3, 2, List.of(new Part("däta", 7, EFFECTS), new Part("app", 8, null))),
          new Entry.Fence(4),
          new Entry.Server(5, "pg1:5432", new ServerState(ServerState.Status.AWAY, "gone", 1_234)),
          new Entry.Dropped(9, 3, 8));

  private static final List<Entry> OF_GROUPS =
      List.of(
          new Entry.Leads(19, "q1", "other:6432", "old"),
          new Entry.Leads(20, "q2", "host:6432", "key"),
          new Entry.Settled(21, 3));

  @Test
  void entriesAreReadAsTheyWereWritten() {
    for (Entry entry : ALL) {
      assertThat(Entry.decoded(entry.encoded())).isEqualTo(entry);
      assertThat(Entry.numberOf(entry.encoded())).isEqualTo(entry.number());
    }
  }

  @Test
  void aGroupKnowsWhoLeadsAndUpToWhereALogMustReach() {
    OrderState state = new OrderState();
    assertThat(state.tellsFrom(1)).isTrue();
    ALL.forEach(state::apply);
    // Of entry 3 it is not known whether all servers have it.
    assertThat(state.tellsFrom(3)).isTrue();
    assertThat(state.tellsFrom(4)).isFalse();
    for (Entry entry : OF_GROUPS) {
      assertThat(Entry.decoded(entry.encoded())).isEqualTo(entry);
      state.apply(entry);
    }
    OrderState read = OrderState.decoded(state.encoded());
    assertThat(read.addressOf("q2")).isEqualTo("host:6432");
    assertThat(read.addressOf("q3")).isNull();
    assertThat(read.keyOf("q2")).isEqualTo("key");
    assertThat(read.keyOf("q1")).isEmpty();
    assertThat(read.isSettled()).isTrue();
    assertThat(read.tellsFrom(22)).isTrue();
    OrderState other = new OrderState();
    other.replaceBy(read);
    assertThat(other.encoded()).isEqualTo(state.encoded());
  }

  @Test
  void aStateOfAFormerVersionIsRead() {
    OrderState state = new OrderState();
    ALL.forEach(state::apply);
    ByteBuffer encoded = state.encoded();
    // It ended before the addresses, the last number of transactions, who serves by which key, and
    // what is prepared.
    OrderState read =
        OrderState.decoded(encoded.slice(0, encoded.limit() - 4 * Integer.BYTES - Long.BYTES));
    assertThat(read.last()).isEqualTo(9);
    assertThat(read.mayHaveFenced(4)).isTrue();
  }

  @Test
  void whoLeadsByAFormerVersionServesNobodyOfAnother() {
    ByteBuffer encoded = new Entry.Leads(4, "q1", "host:6432", "").encoded();
    assertThat(Entry.decoded(encoded.slice(0, encoded.limit() - Integer.BYTES)))
        .isEqualTo(new Entry.Leads(4, "q1", "host:6432", ""));
  }

  @Test
  void anotherVersionIsRefused() {
    ByteBuffer encoded = new Entry.Fence(1).encoded().put(0, (byte) 2);
    assertThatThrownBy(() -> Entry.decoded(encoded)).hasMessageContaining("version 2");
  }

  @Test
  void theStateIsWhatEntriesSayAndIsReadAsItWasWritten() {
    OrderState state = new OrderState();
    ALL.forEach(state::apply);
    state.apply(new Entry.Server(10, "pg2:5432", ServerState.in(1)));
    state.apply(new Entry.Server(11, "pg1:5432", ServerState.in(2)));
    OrderState read = OrderState.decoded(state.encoded());
    assertThat(read.last()).isEqualTo(11);
    assertThat(read.settled()).isEqualTo(2);
    assertThat(read.dropped()).isEqualTo(Map.of(3L, List.of(8)));
    // Who comes back leads after those that stayed.
    assertThat(read.servers().keySet()).containsExactly("pg2:5432", "pg1:5432");
    assertThatThrownBy(() -> read.apply(new Entry.Fence(11)))
        .isInstanceOf(IllegalStateException.class);
  }

  /** It is kept however short the log is. */
  @Test
  void whatClientsHavePreparedIsAPartOfTheState() {
    Part part = new Part("app", 7, EFFECTS, new UUID(1, 2));
    Part other = new Part("app", 8, EFFECTS, new UUID(3, 4));
    Part empty = new Part("app", 9, ByteBuffer.allocate(0), new UUID(5, 6));
    List<Entry> prepares =
        List.of(
            new Entry.Prepares(1, "it's", "alice", part),
            new Entry.Prepares(2, "other", "bob", other),
            new Entry.Prepares(3, "empty", "bob", empty));
    OrderState state = new OrderState();
    for (Entry entry : prepares) {
      assertThat(Entry.decoded(entry.encoded())).isEqualTo(entry);
      state.apply(entry);
    }
    OrderState read = new OrderState();
    read.replaceBy(OrderState.decoded(state.encoded()));
    assertThat(new ArrayList<Entry>(read.prepared())).isEqualTo(prepares);
    read.apply(new Entry.Commits(4, 3, List.of(new Part("app", 7, EFFECTS), part.of(5))));
    Entry rollsBack = new Entry.RollsBack(5, other.token());
    assertThat(Entry.decoded(rollsBack.encoded())).isEqualTo(rollsBack);
    read.apply(rollsBack);
    assertThat(read.prepared()).containsExactly((Entry.Prepares) prepares.get(2));
    assertThat(read.isPrepared(part.token())).isFalse();
    assertThat(state.isPrepared(part.token())).isTrue();
  }

  @Test
  void fencesOfOtherReplicatorsAreKnown() {
    OrderState state = new OrderState();
    ALL.forEach(state::apply);
    OrderState read = OrderState.decoded(state.encoded());
    assertThat(read.mayHaveFenced(4)).isTrue();
    assertThat(read.mayHaveFenced(3)).isFalse();
    for (int number = 10; number < 2_000; number++) {
      read.apply(new Entry.Fence(number));
    }
    // So old that it is not kept: it may have been this one.
    assertThat(read.mayHaveFenced(5)).isTrue();
    assertThat(read.mayHaveFenced(2_000)).isFalse();
  }

  @Test
  void positionsAreCompared() {
    Position less = new Position();
    less.row(7, 3, 2, 0);
    Position more = new Position();
    more.row(7, 3, 2, 0);
    more.row(8, 9, 2, 0);
    assertThat(less.isWithin(more, Long.MAX_VALUE)).isTrue();
    assertThat(more.isWithin(less, Long.MAX_VALUE)).isFalse();
    assertThat(more.isWithin(less, 8)).isTrue();
    assertThat(more.equalsIn(less)).isFalse();
    assertThat(more.equalsIn(more)).isTrue();
    assertThat(more.isBlank()).isFalse();
    assertThat(new Position().isBlank()).isTrue();
  }

  @Test
  void whatCannotBeGivenIsSaid() {
    Entry entry = ALL.get(0);
    Position position = new Position();
    position.row(7, 3, 2, 0);
    Map<String, Position> both = Map.of("däta", position, "app", position);
    assertThat(Misses.of(entry, both, Map.of()).cannot()).contains("does not hold");
    assertThat(Misses.of(entry, both, Map.of(3L, List.of(8))))
        .isEqualTo(new Misses(List.of(), null));
    assertThat(Misses.of(entry, both, Map.of(3L, List.of(7))).cannot()).contains("was dropped");
    assertThat(Misses.of(entry, Map.of(), Map.of()).cannot()).contains("no database");
  }
}

package io.mgtm.group.storage;

import static io.mgtm.group.Durability.AHEAD;
import static io.mgtm.group.Durability.BUFFERED;
import static io.mgtm.group.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.Durability;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DurabilityGateTest {
  private static final List<Durability> ALL = List.of(Durability.values());

  private final DurabilityGate gate = new DurabilityGate(0);

  @Test
  void bufferedEntriesAreCoveredAtOnce() {
    gate.appended(1, BUFFERED);
    gate.appended(2, BUFFERED);
    assertThat(gate.committedIndex()).isEqualTo(2);
  }

  @Test
  void aRequiredEntryAndAllBehindItWaitUntilItIsOnDisk() {
    gate.appended(1, BUFFERED);
    gate.appended(2, REQUIRED);
    gate.appended(3, BUFFERED);
    assertThat(gate.committedIndex()).isEqualTo(1);
    gate.durable(1);
    assertThat(gate.committedIndex()).isEqualTo(1);
    gate.durable(2);
    assertThat(gate.committedIndex()).isEqualTo(3);
  }

  @Test
  void anAheadEntryHoldsBackNothingBeforeTheNextOne() {
    gate.appended(1, AHEAD);
    gate.appended(2, BUFFERED);
    assertThat(gate.committedIndex()).isEqualTo(2);
    gate.appended(3, AHEAD);
    gate.appended(4, BUFFERED);
    assertThat(gate.committedIndex()).isEqualTo(2);
    gate.durable(1);
    assertThat(gate.committedIndex()).as("the second one itself need not be on disk").isEqualTo(4);
    gate.appended(5, AHEAD);
    assertThat(gate.committedIndex()).isEqualTo(4);
  }

  @Test
  void anAheadEntryFindsNoGateWhenTheOneBeforeIsOnDisk() {
    gate.appended(1, AHEAD);
    gate.durable(1);
    gate.appended(2, AHEAD);
    assertThat(gate.committedIndex()).isEqualTo(2);
  }

  @Test
  void aGapInTheIndexesIsABrokenInvariant() {
    gate.appended(1, BUFFERED);
    assertThatThrownBy(() -> gate.appended(3, BUFFERED)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void itAgreesWithTheDefinition() {
    Seeds.forEach(300, seed -> agreesWithTheDefinition(new Random(seed)));
  }

  private static void agreesWithTheDefinition(Random random) {
    long start = random.nextInt(3);
    DurabilityGate gate = new DurabilityGate(start);
    List<Durability> entries = new ArrayList<>();
    long durable = start;
    for (int step = 0; step < 400; step++) {
      long last = start + entries.size();
      if (random.nextInt(4) != 0) {
        Durability durability = ALL.get(random.nextInt(ALL.size()));
        entries.add(durability);
        gate.appended(last + 1, durability);
      } else if (durable < last) {
        durable += 1 + random.nextInt((int) (last - durable));
        gate.durable(durable);
      }
      assertThat(gate.committedIndex()).isEqualTo(defined(entries, start, durable));
    }
  }

  /** The highest index before the first entry that has to wait. */
  private static long defined(List<Durability> entries, long start, long durable) {
    long ahead = 0;
    long index = start;
    for (Durability durability : entries) {
      index++;
      boolean waits =
          switch (durability) {
            case BUFFERED -> false;
            case REQUIRED -> index > durable;
            case AHEAD -> ahead > durable;
          };
      if (waits) {
        return index - 1;
      }
      if (durability == AHEAD) {
        ahead = index;
      }
    }
    return index;
  }

  @Test
  void veryManyGatesAreMergedAndNoneOpensTooEarly() {
    int entries = 200_000;
    for (int i = 1; i <= entries; i++) {
      gate.appended(i, REQUIRED);
    }
    gate.durable(50_000);
    assertThat(gate.committedIndex()).isEqualTo(50_000);
    gate.durable(entries - 1);
    assertThat(gate.committedIndex()).isLessThan(entries);
    gate.durable(entries);
    assertThat(gate.committedIndex()).isEqualTo(entries);
    gate.appended(entries + 1, REQUIRED);
    assertThat(gate.committedIndex()).isEqualTo(entries);
  }
}

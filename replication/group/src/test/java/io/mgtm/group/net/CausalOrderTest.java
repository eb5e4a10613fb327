package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.net.CausalOrder.Stamp;
import io.mgtm.group.net.CausalSimulation.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CausalOrderTest {
  private static final int SCHEDULES_DEFAULT = 2_000;
  private static final int SCHEDULES_UNTIL_FOUND = 2_000;

  private final List<String> delivered = new ArrayList<>();

  private CausalOrder<String, String> order(int messages, long bytes, long waitMs) {
    CausalOrder<String, String> order =
        new CausalOrder<>("c", new CausalOrder.Bounds(messages, bytes, waitMs), delivered::add);
    order.installed(0, 1, Set.of("a", "b", "c"));
    return order;
  }

  @Test
  void noScheduleDeliversAMessageAfterWhatFollowsIt() {
    Long seed = Long.getLong("seed");
    if (seed != null) {
      new CausalSimulation(seed, Fault.NONE).run();
      return;
    }
    int schedules = Integer.getInteger("schedules", SCHEDULES_DEFAULT);
    AtomicLong deliveries = new AtomicLong();
    AtomicLong waited = new AtomicLong();
    LongStream.range(0, schedules)
        .parallel()
        .forEach(
            number -> {
              CausalSimulation.Outcome outcome = new CausalSimulation(number, Fault.NONE).run();
              deliveries.addAndGet(outcome.delivered());
              waited.addAndGet(outcome.waited());
            });
    System.out.printf(
        "%d schedules: %d deliveries, %d arrivals after which something waited%n",
        schedules, deliveries.get(), waited.get());
    assertThat(deliveries.get()).isGreaterThan(schedules * 100L);
    assertThat(waited.get()).isGreaterThan(schedules * 10L);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void plantedFaultIsFound(Fault fault) {
    assertThatThrownBy(
            () -> {
              for (long seed = 0; seed < SCHEDULES_UNTIL_FOUND; seed++) {
                new CausalSimulation(seed, fault).run();
              }
            })
        .isInstanceOf(CausalSimulation.Violation.class)
        .satisfies(found -> System.out.println(fault + " found: " + found.getMessage()));
  }

  @Test
  void whatWaitsTooLongIsDeliveredAndWhatItWaitedForIsDropped() {
    CausalOrder<String, String> order = order(100, 100, 50);
    order.received(0, "a", new Stamp<>(1, 1, Map.of()), "a1", 1);
    order.received(0, "b", new Stamp<>(1, 1, Map.of("a", 3L)), "b1", 1);
    order.received(49, "b", new Stamp<>(1, 2, Map.of("a", 3L)), "b2", 1);
    assertThat(delivered).containsExactly("a1");
    order.received(50, "b", new Stamp<>(1, 3, Map.of("a", 3L)), "b3", 1);
    assertThat(delivered).containsExactly("a1", "b1", "b2", "b3");
    order.received(51, "a", new Stamp<>(1, 2, Map.of()), "a2", 1);
    order.received(51, "a", new Stamp<>(1, 3, Map.of()), "a3", 1);
    order.received(51, "a", new Stamp<>(1, 4, Map.of()), "a4", 1);
    assertThat(delivered).containsExactly("a1", "b1", "b2", "b3", "a4");
    assertThat(order.passedOver()).isEqualTo(1);
  }

  @Test
  void whatIsTooMuchIsDroppedAndTheRestGoesOn() {
    for (boolean byMessages : List.of(true, false)) {
      delivered.clear();
      CausalOrder<String, String> order =
          byMessages ? order(3, 1_000, 1_000) : order(1_000, 30, 1_000);
      for (int i = 1; i <= 4; i++) {
        order.received(0, "b", new Stamp<>(1, i, Map.of("a", 7L)), "b" + i, 10);
      }
      assertThat(order.waiting()).isZero();
      order.received(0, "a", new Stamp<>(1, 7, Map.of()), "a7", 1);
      assertThat(delivered).as("passed over, as what followed it was dropped").isEmpty();
      order.received(0, "b", new Stamp<>(1, 5, Map.of("a", 7L)), "b5", 1);
      order.received(0, "a", new Stamp<>(1, 8, Map.of("b", 5L)), "a8", 1);
      assertThat(delivered).containsExactly("b5", "a8");
    }
  }

  @Test
  void repeatedMessagesAndThoseOfMembersThatHaveLeftAreDropped() {
    CausalOrder<String, String> order = order(100, 100, 100);
    order.received(0, "a", new Stamp<>(1, 5, Map.of()), "a5", 1);
    order.received(0, "a", new Stamp<>(1, 5, Map.of()), "a5", 1);
    assertThat(order.installed(0, 2, Set.of("b", "c"))).isFalse();
    order.received(0, "a", new Stamp<>(1, 6, Map.of()), "a6", 1);
    order.received(0, "b", new Stamp<>(2, 1, Map.of("a", 6L)), "b1", 1);
    assertThat(delivered).containsExactly("a5", "b1");
  }
}

package io.mgtm.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.bench.tpcc.Inputs.Line;
import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Shares of many draws from a seed. */
class InputsTest {
  private static final int DRAWS = 100_000;

  private final Population population = new Population(10, 1);
  private final Inputs inputs = new Inputs(new Draw(1, 0), population);

  private static void assertShare(long count, long of, double share) {
    assertThat((double) count / of).isCloseTo(share, Percentage.withPercentage(10));
  }

  @Test
  void theMixIsTheStandards() {
    Map<TransactionType, Integer> counts = new EnumMap<>(TransactionType.class);
    for (int i = 0; i < DRAWS; i++) {
      counts.merge(inputs.type(), 1, Integer::sum);
    }
    counts.forEach((type, count) -> assertShare(count, DRAWS, type.percent() / 100.0));
    assertThat(Stream.of(TransactionType.values()).mapToInt(TransactionType::percent).sum())
        .isEqualTo(100);
    assertThatThrownBy(() -> TransactionType.at(101)).hasMessageContaining("101");
  }

  @Test
  void newOrdersHaveFiveToFifteenLinesOfWhichOneInAHundredIsFromElsewhere() {
    List<Inputs.NewOrder> orders =
        Stream.generate(() -> inputs.newOrder(4)).limit(DRAWS / 10).toList();
    List<Line> lines = orders.stream().flatMap(order -> order.lines().stream()).toList();
    assertThat(orders).allMatch(order -> order.lines().size() >= 5 && order.lines().size() <= 15);
    assertShare(lines.size(), orders.size(), 10);
    List<Line> remote = lines.stream().filter(line -> line.supplyWarehouse() != 4).toList();
    assertShare(remote.size(), lines.size(), 0.01);
    assertThat(remote.stream().map(Line::supplyWarehouse).distinct()).hasSize(9);
    assertThat(orders)
        .allMatch(
            order ->
                order.allLocal()
                    == order.lines().stream().allMatch(line -> line.supplyWarehouse() == 4));
    assertThat(lines).allMatch(line -> line.quantity() >= 1 && line.quantity() <= 10);
  }

  @Test
  void oneNewOrderInAHundredEndsWithAnItemThatDoesNotExist() {
    long rollbacks = 0;
    for (int i = 0; i < DRAWS; i++) {
      List<Line> lines = inputs.newOrder(1).lines();
      long unused = lines.stream().filter(line -> line.item() > population.items()).count();
      assertThat(unused).isLessThanOrEqualTo(1);
      if (unused == 1) {
        assertThat(lines.get(lines.size() - 1).item()).isEqualTo(population.items() + 1);
        rollbacks++;
      }
    }
    assertShare(rollbacks, DRAWS, 0.01);
  }

  @Test
  void paymentsAreOfOthersCustomersAndByNameAsOftenAsTheyShould() {
    int remote = 0;
    int byName = 0;
    for (int i = 0; i < DRAWS; i++) {
      Inputs.Payment payment = inputs.payment(2);
      Inputs.Customer customer = payment.customer();
      assertThat(payment.amountCents()).isBetween(100, 500_000);
      assertThat(customer.id() == 0).isEqualTo(customer.lastName() != null);
      remote += customer.warehouse() == 2 ? 0 : 1;
      byName += customer.lastName() == null ? 0 : 1;
      if (customer.warehouse() == 2) {
        assertThat(customer.district()).isEqualTo(payment.district());
      }
    }
    assertShare(remote, DRAWS, 0.15);
    assertShare(byName, DRAWS, 0.60);
  }

  @Test
  void oneWarehouseHasNoOthers() {
    Inputs alone = new Inputs(new Draw(1, 0), new Population(1, 100));
    for (int i = 0; i < DRAWS / 10; i++) {
      assertThat(alone.newOrder(1).allLocal()).isTrue();
      assertThat(alone.payment(1).customer().warehouse()).isEqualTo(1);
    }
  }

  @Test
  void orderStatusIsByNameAndTheOthersInTheirBounds() {
    int byName = 0;
    for (int i = 0; i < DRAWS; i++) {
      byName += inputs.orderStatus(1).lastName() == null ? 0 : 1;
      assertThat(inputs.delivery(1).carrier()).isBetween(1, 10);
      assertThat(inputs.stockLevel(1, 5).threshold()).isBetween(10, 20);
    }
    assertShare(byName, DRAWS, 0.60);
  }

  @Test
  void stockIsFilledUpWhenItGetsLow() {
    assertThat(NewOrder.left(20, 10)).isEqualTo(10);
    assertThat(NewOrder.left(19, 10)).isEqualTo(100);
  }

  @Test
  void whatIsRememberedOfBadCreditIsCut() {
    Inputs.Customer customer = new Inputs.Customer(3, 2, 17, null);
    String data =
        Payment.data(
            new Inputs.Payment(5, 4, customer, 1_234),
            customer,
            new BigDecimal("12.34"),
            "x".repeat(500));
    assertThat(data).startsWith("17 2 3 4 5 12.34|xxx").hasSize(500);
  }
}

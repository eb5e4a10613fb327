package io.mgtm.bench.tpcc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Draws what a terminal's user would enter, by clauses 2.4.1 to 2.8.1. One thread. */
final class Inputs {
  private static final int BY_LAST_NAME_PERCENT = 60;
  private static final int REMOTE_CUSTOMER_PERCENT = 15;
  private static final int REMOTE_SUPPLY_PERCENT = 1;
  private static final int ROLLBACK_PERCENT = 1;

  /**
   * Terminals lock stock in one order, so that they do not wait for each other in a ring. The item
   * that does not exist, the highest, stays the last, as clause 2.4.1.5 wants it.
   */
  private static final Comparator<Line> LOCK_ORDER =
      Comparator.comparingInt(Line::item).thenComparingInt(Line::supplyWarehouse);

  /**
   * A line of an order.
   *
   * @param item an item that does not exist, if the order shall roll back
   */
  record Line(int item, int supplyWarehouse, int quantity) {}

  /** Input of New-Order. */
  record NewOrder(int warehouse, int district, int customer, List<Line> lines) {
    boolean allLocal() {
      return lines.stream().allMatch(line -> line.supplyWarehouse() == warehouse);
    }
  }

  /**
   * Whom a transaction is about.
   *
   * @param id 0 when the last name is given
   * @param lastName null when the number is given
   */
  record Customer(int warehouse, int district, int id, String lastName) {}

  /** Input of Payment. */
  record Payment(int warehouse, int district, Customer customer, int amountCents) {}

  /** Input of Delivery. */
  record Delivery(int warehouse, int carrier) {}

  /** Input of Stock-Level. */
  record StockLevel(int warehouse, int district, int threshold) {}

  private final Draw draw;
  private final Population population;

  Inputs(Draw draw, Population population) {
    this.draw = draw;
    this.population = population;
  }

  TransactionType type() {
    return TransactionType.at(draw.uniform(1, 100));
  }

  NewOrder newOrder(int warehouse) {
    int district = district();
    int customer = draw.nonUniform(population.customerIds());
    int count = draw.uniform(5, 15);
    boolean rollback = draw.percent(ROLLBACK_PERCENT);
    List<Line> lines = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int item =
          rollback && i == count - 1
              ? population.items() + 1
              : draw.nonUniform(population.itemIds());
      int supply = draw.percent(REMOTE_SUPPLY_PERCENT) ? other(warehouse) : warehouse;
      lines.add(new Line(item, supply, draw.uniform(1, 10)));
    }
    lines.sort(LOCK_ORDER);
    return new NewOrder(warehouse, district, customer, lines);
  }

  Payment payment(int warehouse) {
    int district = district();
    boolean remote = draw.percent(REMOTE_CUSTOMER_PERCENT) && population.warehouses() > 1;
    Customer customer =
        remote ? customer(other(warehouse), district()) : customer(warehouse, district);
    return new Payment(warehouse, district, customer, draw.uniform(100, 500_000));
  }

  Customer orderStatus(int warehouse) {
    return customer(warehouse, district());
  }

  Delivery delivery(int warehouse) {
    return new Delivery(warehouse, draw.uniform(1, 10));
  }

  StockLevel stockLevel(int warehouse, int district) {
    return new StockLevel(warehouse, district, draw.uniform(10, 20));
  }

  private Customer customer(int warehouse, int district) {
    return draw.percent(BY_LAST_NAME_PERCENT)
        ? new Customer(
            warehouse, district, 0, LastNames.of(draw.nonUniform(population.lastNamesAtRun())))
        : new Customer(warehouse, district, draw.nonUniform(population.customerIds()), null);
  }

  private int district() {
    return draw.uniform(1, Population.DISTRICTS);
  }

  /** Another warehouse; the same where there is no other. */
  private int other(int warehouse) {
    if (population.warehouses() == 1) {
      return warehouse;
    }
    int other = draw.uniform(1, population.warehouses() - 1);
    return other < warehouse ? other : other + 1;
  }
}

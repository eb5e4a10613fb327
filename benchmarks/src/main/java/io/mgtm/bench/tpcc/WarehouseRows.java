package io.mgtm.bench.tpcc;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

/** Fills a warehouse, or the items that all share, by clause 4.3.3. One thread. */
final class WarehouseRows {
  private static final String ADDRESS =
      "%1$s_street_1, %1$s_street_2, %1$s_city, %1$s_state, %1$s_zip";
  private static final BigDecimal PAID = new BigDecimal("10.00");
  private static final int INFO = 24;
  private static final int QUANTITY = 5;

  private final Session session;
  private final Population population;
  private final Draw draw;
  private final Progress progress;
  private final LocalDateTime now;

  /**
   * Fills by a session.
   *
   * @param now the moment of all that has happened
   */
  WarehouseRows(
      Session session, Population population, Draw draw, Progress progress, LocalDateTime now) {
    this.session = session;
    this.population = population;
    this.draw = draw;
    this.progress = progress;
    this.now = now;
  }

  /** How many rows a load has, but for the lines of orders, whose number is drawn. */
  static long rows(Population population) {
    int undelivered = population.customers() - population.firstUndelivered() + 1;
    long district = 1 + 3L * population.customers() + undelivered;
    long warehouse = 1 + population.items() + Population.DISTRICTS * district;
    return population.items() + population.warehouses() * warehouse;
  }

  void items() throws SQLException {
    Batch batch = new Batch(session, "item", "i_id, i_im_id, i_name, i_price, i_data");
    for (int item = 1; item <= population.items(); item++) {
      batch.add(item, draw.uniform(1, 10_000), draw.text(14, 24), cents(100, 10_000), draw.data());
    }
    commit(population.items(), batch);
  }

  void warehouse(int warehouse) throws SQLException {
    Batch batch =
        new Batch(
            session, "warehouse", "w_id, w_name, " + ADDRESS.formatted("w") + ", w_tax, w_ytd");
    List<Object> row = new ArrayList<>(List.of(warehouse, draw.text(6, 10)));
    address(row);
    row.add(tenThousandths(2_000));
    row.add(
        PAID.multiply(BigDecimal.valueOf((long) population.customers() * Population.DISTRICTS)));
    batch.add(row.toArray());
    commit(1, batch);
    stock(warehouse);
    for (int district = 1; district <= Population.DISTRICTS; district++) {
      district(warehouse, district);
      customers(warehouse, district);
      orders(warehouse, district);
    }
  }

  private void stock(int warehouse) throws SQLException {
    StringBuilder columns = new StringBuilder("s_i_id, s_w_id, s_quantity");
    for (int district = 1; district <= Population.DISTRICTS; district++) {
      columns.append(", s_dist_%02d".formatted(district));
    }
    Batch batch =
        new Batch(session, "stock", columns + ", s_ytd, s_order_cnt, s_remote_cnt, s_data");
    for (int item = 1; item <= population.items(); item++) {
      List<Object> row = new ArrayList<>(List.of(item, warehouse, draw.uniform(10, 100)));
      for (int district = 1; district <= Population.DISTRICTS; district++) {
        row.add(draw.text(INFO, INFO));
      }
      row.addAll(List.of(0, 0, 0, draw.data()));
      batch.add(row.toArray());
    }
    commit(population.items(), batch);
  }

  private void district(int warehouse, int district) throws SQLException {
    Batch batch =
        new Batch(
            session,
            "district",
            "d_id, d_w_id, d_name, " + ADDRESS.formatted("d") + ", d_tax, d_ytd, d_next_o_id");
    List<Object> row = new ArrayList<>(List.of(district, warehouse, draw.text(6, 10)));
    address(row);
    row.add(tenThousandths(2_000));
    row.add(PAID.multiply(BigDecimal.valueOf(population.customers())));
    row.add(population.customers() + 1);
    batch.add(row.toArray());
    commit(1, batch);
  }

  private void customers(int warehouse, int district) throws SQLException {
    Batch customers =
        new Batch(
            session,
            "customer",
            "c_id, c_d_id, c_w_id, c_first, c_middle, c_last, "
                + ADDRESS.formatted("c")
                + ", c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data");
    Batch history =
        new Batch(
            session,
            "history",
            "h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data");
    for (int id = 1; id <= population.customers(); id++) {
      List<Object> row = new ArrayList<>(List.of(id, district, warehouse, draw.text(8, 16), "OE"));
      row.add(lastName(id));
      address(row);
      row.addAll(List.of(draw.digits(16), now, draw.percent(10) ? "BC" : "GC"));
      row.addAll(List.of(new BigDecimal("50000.00"), tenThousandths(5_000), PAID.negate(), PAID));
      row.addAll(List.of(1, 0, draw.text(300, 500)));
      customers.add(row.toArray());
      history.add(id, district, warehouse, district, warehouse, now, PAID, draw.text(12, 24));
    }
    commit(2L * population.customers(), customers, history);
  }

  /** The first thousand have each name once. */
  private String lastName(int customer) {
    return LastNames.of(
        customer <= LastNames.COUNT ? customer - 1 : draw.nonUniform(population.lastNamesAtLoad()));
  }

  private void orders(int warehouse, int district) throws SQLException {
    Batch orders =
        new Batch(
            session,
            "orders",
            "o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local");
    Batch lines =
        new Batch(
            session,
            "order_line",
            "ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info");
    Batch undelivered = new Batch(session, "new_order", "no_o_id, no_d_id, no_w_id");
    int[] customers = draw.permutation(population.customers());
    for (int order = 1; order <= customers.length; order++) {
      boolean delivered = order < population.firstUndelivered();
      int count = draw.uniform(5, 15);
      Integer carrier = delivered ? (Integer) draw.uniform(1, 10) : null;
      orders.add(order, district, warehouse, customers[order - 1], now, carrier, count, 1);
      for (int number = 1; number <= count; number++) {
        lines.add(
            order,
            district,
            warehouse,
            number,
            draw.uniform(1, population.items()),
            warehouse,
            delivered ? now : null,
            QUANTITY,
            delivered ? BigDecimal.ZERO : cents(1, 999_999),
            draw.text(INFO, INFO));
      }
      if (!delivered) {
        undelivered.add(order, district, warehouse);
      }
    }
    int waiting = customers.length - population.firstUndelivered() + 1;
    commit(customers.length + waiting, orders, lines, undelivered);
  }

  private void address(List<Object> row) {
    row.addAll(List.of(draw.text(10, 20), draw.text(10, 20), draw.text(10, 20)));
    row.addAll(List.of(draw.text(2, 2), draw.zip()));
  }

  private BigDecimal cents(int low, int high) {
    return BigDecimal.valueOf(draw.uniform(low, high), 2);
  }

  private BigDecimal tenThousandths(int high) {
    return BigDecimal.valueOf(draw.uniform(0, high), 4);
  }

  private void commit(long rows, Batch... batches) throws SQLException {
    for (Batch batch : batches) {
      batch.flush();
    }
    session.commit();
    progress.add(rows);
  }
}

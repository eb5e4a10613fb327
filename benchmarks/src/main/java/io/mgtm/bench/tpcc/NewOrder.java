package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Inputs.Line;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

/** The New-Order transaction, clause 2.4.2. One thread. */
final class NewOrder {
  /** What stock is filled up by when it gets low. */
  private static final int REFILL = 91;

  private static final int LEFT_MIN = 10;

  /** Of stock; its column of the district's text follows. */
  private static final List<String> STOCK =
      IntStream.rangeClosed(1, Population.DISTRICTS)
          .mapToObj(
              district ->
                  "SELECT s_quantity, s_dist_%02d, s_data FROM stock WHERE s_w_id = ? AND s_i_id = ? FOR UPDATE"
                      .formatted(district))
          .toList();

  private record Stock(int quantity, String district) {}

  private NewOrder() {}

  /**
   * Does all but the commit. What a terminal would show is read, and not shown.
   *
   * @return whether to commit: not when an item does not exist
   */
  static boolean run(Session session, Inputs.NewOrder input) throws SQLException {
    int warehouse = input.warehouse();
    int district = input.district();
    var unusedTax =
        session.one(
            "SELECT w_tax FROM warehouse WHERE w_id = ?", row -> row.getBigDecimal(1), warehouse);
    int order =
        session.one(
            "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = ? AND d_id = ? FOR UPDATE",
            row -> row.getInt(1),
            warehouse,
            district);
    session.changeOne(
        "UPDATE district SET d_next_o_id = ? WHERE d_w_id = ? AND d_id = ?",
        order + 1,
        warehouse,
        district);
    var unusedDiscount =
        session.one(
            "SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            row -> row.getBigDecimal(1),
            warehouse,
            district,
            input.customer());
    enter(session, input, order);
    for (int i = 0; i < input.lines().size(); i++) {
      if (!line(session, input, order, i + 1)) {
        return false;
      }
    }
    return true;
  }

  private static void enter(Session session, Inputs.NewOrder input, int order) throws SQLException {
    session.changeOne(
        "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, ?, ?)",
        order,
        input.district(),
        input.warehouse(),
        input.customer(),
        input.lines().size(),
        input.allLocal() ? 1 : 0);
    session.changeOne(
        "INSERT INTO new_order (no_o_id, no_d_id, no_w_id) VALUES (?, ?, ?)",
        order,
        input.district(),
        input.warehouse());
  }

  /** Whether its item exists. */
  private static boolean line(Session session, Inputs.NewOrder input, int order, int number)
      throws SQLException {
    Line line = input.lines().get(number - 1);
    List<BigDecimal> prices =
        session.rows(
            "SELECT i_price, i_name, i_data FROM item WHERE i_id = ?",
            row -> row.getBigDecimal(1),
            line.item());
    if (prices.isEmpty()) {
      return false;
    }
    Stock stock =
        session.one(
            STOCK.get(input.district() - 1),
            row -> new Stock(row.getInt(1), row.getString(2)),
            line.supplyWarehouse(),
            line.item());
    session.changeOne(
        "UPDATE stock SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?",
        left(stock.quantity(), line.quantity()),
        line.quantity(),
        line.supplyWarehouse() == input.warehouse() ? 0 : 1,
        line.supplyWarehouse(),
        line.item());
    session.changeOne(
        "INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        order,
        input.district(),
        input.warehouse(),
        number,
        line.item(),
        line.supplyWarehouse(),
        line.quantity(),
        prices.get(0).multiply(BigDecimal.valueOf(line.quantity())),
        stock.district());
    return true;
  }

  /** What is left in stock after an order. */
  static int left(int quantity, int ordered) {
    return quantity >= ordered + LEFT_MIN ? quantity - ordered : quantity - ordered + REFILL;
  }
}

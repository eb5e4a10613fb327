package io.mgtm.bench.tpcc;

import java.sql.SQLException;

/** The Stock-Level transaction, clause 2.8.2. One thread. */
final class StockLevel {
  /** How many orders it looks back. */
  private static final int ORDERS = 20;

  private StockLevel() {}

  /** Counts the items of the district's last orders whose stock is low. */
  static boolean run(Session session, Inputs.StockLevel input) throws SQLException {
    int next =
        session.one(
            "SELECT d_next_o_id FROM district WHERE d_w_id = ? AND d_id = ?",
            row -> row.getInt(1),
            input.warehouse(),
            input.district());
    var unused =
        session.one(
            "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < ?",
            row -> row.getInt(1),
            input.warehouse(),
            input.district(),
            next,
            next - ORDERS,
            input.threshold());
    return true;
  }
}

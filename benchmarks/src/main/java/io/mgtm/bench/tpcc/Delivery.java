package io.mgtm.bench.tpcc;

import java.math.BigDecimal;
import java.sql.SQLException;

/**
 * The Delivery transaction, clause 2.7.4: the oldest undelivered order of each district, at once
 * and not from a queue. One thread.
 */
final class Delivery {
  private Delivery() {}

  /**
   * Does all but the commit.
   *
   * @throws SQLException {@link Session#CONFLICT} when another delivers the same order
   */
  static boolean run(Session session, Inputs.Delivery input) throws SQLException {
    for (int district = 1; district <= Population.DISTRICTS; district++) {
      // MIN is null where nothing is undelivered; such a district is passed over (clause 2.7.4.2).
      Number oldest =
          session.one(
              "SELECT MIN(no_o_id) FROM new_order WHERE no_w_id = ? AND no_d_id = ?",
              row -> (Number) row.getObject(1),
              input.warehouse(),
              district);
      if (oldest != null) {
        deliver(session, input, district, oldest.intValue());
      }
    }
    return true;
  }

  private static void deliver(Session session, Inputs.Delivery input, int district, int order)
      throws SQLException {
    Object[] key = {input.warehouse(), district, order};
    if (session.change(
            "DELETE FROM new_order WHERE no_w_id = ? AND no_d_id = ? AND no_o_id = ?", key)
        == 0) {
      throw new SQLException(
          "another has delivered order %d of district %d of warehouse %d"
              .formatted(order, district, input.warehouse()),
          Session.CONFLICT);
    }
    int customer =
        session.one(
            "SELECT o_c_id FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
            row -> row.getInt(1),
            key);
    session.changeOne(
        "UPDATE orders SET o_carrier_id = ? WHERE o_w_id = ? AND o_d_id = ? AND o_id = ?",
        input.carrier(),
        key[0],
        key[1],
        key[2]);
    var unused =
        session.change(
            "UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            key);
    BigDecimal amount =
        session.one(
            "SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            row -> row.getBigDecimal(1),
            key);
    session.changeOne(
        "UPDATE customer SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
        amount,
        input.warehouse(),
        district,
        customer);
  }
}

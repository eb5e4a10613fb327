package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Inputs.Customer;
import java.sql.SQLException;
import java.util.List;

/** The Order-Status transaction, clause 2.6.2. One thread. */
final class OrderStatus {
  private OrderStatus() {}

  /** Reads a customer's last order. */
  static boolean run(Session session, Customer wanted) throws SQLException {
    Customer customer = Customers.found(session, wanted);
    Object[] key = {customer.warehouse(), customer.district(), customer.id()};
    var unused =
        session.one(
            "SELECT c_balance, c_first, c_middle, c_last FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?",
            row -> row.getBigDecimal(1),
            key);
    int order =
        session.one(
            "SELECT o_id, o_carrier_id, o_entry_d FROM orders WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1",
            row -> row.getInt(1),
            key);
    List<Integer> lines =
        session.rows(
            "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?",
            row -> row.getInt(1),
            customer.warehouse(),
            customer.district(),
            order);
    if (lines.isEmpty()) {
      throw new SQLException(
          "order %d of district %d of warehouse %d has no lines"
              .formatted(order, customer.district(), customer.warehouse()));
    }
    return true;
  }
}

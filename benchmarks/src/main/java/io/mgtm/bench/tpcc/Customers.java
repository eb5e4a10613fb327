package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Inputs.Customer;
import java.sql.SQLException;
import java.util.List;

/** Finds customers by their last names. One thread. */
final class Customers {
  private Customers() {}

  /** The customer with its number; by last name the middle one by first names (clause 2.5.2.2). */
  static Customer found(Session session, Customer wanted) throws SQLException {
    if (wanted.lastName() == null) {
      return wanted;
    }
    List<Integer> ids =
        session.rows(
            "SELECT c_id FROM customer WHERE c_w_id = ? AND c_d_id = ? AND c_last = ? ORDER BY c_first",
            row -> row.getInt(1),
            wanted.warehouse(),
            wanted.district(),
            wanted.lastName());
    if (ids.isEmpty()) {
      throw new SQLException(
          "district %d of warehouse %d has no customer %s"
              .formatted(wanted.district(), wanted.warehouse(), wanted.lastName()));
    }
    int middle = (ids.size() - 1) / 2;
    return new Customer(wanted.warehouse(), wanted.district(), ids.get(middle), null);
  }
}

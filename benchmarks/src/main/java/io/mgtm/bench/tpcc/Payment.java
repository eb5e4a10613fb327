package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Inputs.Customer;
import java.math.BigDecimal;
import java.sql.SQLException;

/** The Payment transaction, clause 2.5.2. One thread. */
final class Payment {
  private static final String BAD_CREDIT = "BC";
  private static final int DATA_MAX = 500;
  private static final String WHERE_CUSTOMER = " WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?";

  private Payment() {}

  /** Does all but the commit. */
  static boolean run(Session session, Inputs.Payment input) throws SQLException {
    BigDecimal amount = BigDecimal.valueOf(input.amountCents(), 2);
    int warehouse = input.warehouse();
    int district = input.district();
    session.changeOne("UPDATE warehouse SET w_ytd = w_ytd + ? WHERE w_id = ?", amount, warehouse);
    String warehouseName =
        session.one(
            "SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip FROM warehouse WHERE w_id = ?",
            row -> row.getString(1),
            warehouse);
    session.changeOne(
        "UPDATE district SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id = ?",
        amount,
        warehouse,
        district);
    String districtName =
        session.one(
            "SELECT d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM district WHERE d_w_id = ? AND d_id = ?",
            row -> row.getString(1),
            warehouse,
            district);
    Customer customer = Customers.found(session, input.customer());
    pay(session, input, customer, amount);
    session.changeOne(
        "INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP, ?, ?)",
        customer.id(),
        customer.district(),
        customer.warehouse(),
        district,
        warehouse,
        amount,
        warehouseName + "    " + districtName);
    return true;
  }

  private static void pay(
      Session session, Inputs.Payment input, Customer customer, BigDecimal amount)
      throws SQLException {
    Object[] key = {customer.warehouse(), customer.district(), customer.id()};
    String credit =
        session.one(
            "SELECT c_credit, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit_lim, c_discount, c_balance FROM customer"
                + WHERE_CUSTOMER
                + " FOR UPDATE",
            row -> row.getString(1),
            key);
    session.changeOne(
        "UPDATE customer SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1"
            + WHERE_CUSTOMER,
        amount,
        amount,
        key[0],
        key[1],
        key[2]);
    if (credit.equals(BAD_CREDIT)) {
      String before =
          session.one("SELECT c_data FROM customer" + WHERE_CUSTOMER, row -> row.getString(1), key);
      session.changeOne(
          "UPDATE customer SET c_data = ?" + WHERE_CUSTOMER,
          data(input, customer, amount, before),
          key[0],
          key[1],
          key[2]);
    }
  }

  /** What is remembered of a customer with bad credit: the newest first, 500 characters. */
  static String data(Inputs.Payment input, Customer customer, BigDecimal amount, String before) {
    String data =
        "%d %d %d %d %d %s|%s"
            .formatted(
                customer.id(),
                customer.district(),
                customer.warehouse(),
                input.district(),
                input.warehouse(),
                amount,
                before);
    return data.length() > DATA_MAX ? data.substring(0, DATA_MAX) : data;
  }
}

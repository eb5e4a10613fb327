package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Database.Distribution;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tables of clause 1.3 as statements. Foreign keys are left out, as the specification allows:
 * they would cost a lock for each row, and Postgres-XC has none between datanodes.
 */
final class Schema {
  /** Says what was loaded, and that the other tables are ours. */
  static final String MARK = "tpcc_load";

  private static final String MARK_COLUMNS =
      "warehouses int NOT NULL, scale int NOT NULL, seed bigint NOT NULL, finished int NOT NULL";

  /**
   * A table.
   *
   * @param warehouse its column of the warehouse's number, or null
   * @param columns with {@code %s} for the type of moments
   * @param key its primary key, or null
   */
  private record Table(String name, String warehouse, String columns, String key) {}

  private static final String ADDRESS =
      "%1$s_street_1 varchar(20) NOT NULL, %1$s_street_2 varchar(20) NOT NULL, %1$s_city varchar(20) NOT NULL, %1$s_state char(2) NOT NULL, %1$s_zip char(9) NOT NULL";

  private static final List<Table> TABLES =
      List.of(
          new Table(
              "item",
              null,
              "i_id int NOT NULL, i_im_id int NOT NULL, i_name varchar(24) NOT NULL, i_price decimal(5,2) NOT NULL, i_data varchar(50) NOT NULL",
              "i_id"),
          new Table(
              "warehouse",
              "w_id",
              "w_id int NOT NULL, w_name varchar(10) NOT NULL, "
                  + ADDRESS.formatted("w")
                  + ", w_tax decimal(4,4) NOT NULL, w_ytd decimal(14,2) NOT NULL",
              "w_id"),
          new Table(
              "district",
              "d_w_id",
              "d_id int NOT NULL, d_w_id int NOT NULL, d_name varchar(10) NOT NULL, "
                  + ADDRESS.formatted("d")
                  + ", d_tax decimal(4,4) NOT NULL, d_ytd decimal(14,2) NOT NULL, d_next_o_id int NOT NULL",
              "d_w_id, d_id"),
          new Table(
              "customer",
              "c_w_id",
              "c_id int NOT NULL, c_d_id int NOT NULL, c_w_id int NOT NULL, c_first varchar(16) NOT NULL, c_middle char(2) NOT NULL, c_last varchar(16) NOT NULL, "
                  + ADDRESS.formatted("c")
                  + ", c_phone char(16) NOT NULL, c_since %s NOT NULL, c_credit char(2) NOT NULL, c_credit_lim decimal(12,2) NOT NULL, c_discount decimal(4,4) NOT NULL, c_balance decimal(14,2) NOT NULL, c_ytd_payment decimal(14,2) NOT NULL, c_payment_cnt int NOT NULL, c_delivery_cnt int NOT NULL, c_data varchar(500) NOT NULL",
              "c_w_id, c_d_id, c_id"),
          new Table(
              "history",
              "h_w_id",
              "h_c_id int NOT NULL, h_c_d_id int NOT NULL, h_c_w_id int NOT NULL, h_d_id int NOT NULL, h_w_id int NOT NULL, h_date %s NOT NULL, h_amount decimal(6,2) NOT NULL, h_data varchar(24) NOT NULL",
              null),
          new Table(
              "orders",
              "o_w_id",
              "o_id int NOT NULL, o_d_id int NOT NULL, o_w_id int NOT NULL, o_c_id int NOT NULL, o_entry_d %s NOT NULL, o_carrier_id int, o_ol_cnt int NOT NULL, o_all_local int NOT NULL",
              "o_w_id, o_d_id, o_id"),
          new Table(
              "new_order",
              "no_w_id",
              "no_o_id int NOT NULL, no_d_id int NOT NULL, no_w_id int NOT NULL",
              "no_w_id, no_d_id, no_o_id"),
          new Table(
              "order_line",
              "ol_w_id",
              "ol_o_id int NOT NULL, ol_d_id int NOT NULL, ol_w_id int NOT NULL, ol_number int NOT NULL, ol_i_id int NOT NULL, ol_supply_w_id int NOT NULL, ol_delivery_d %s, ol_quantity int NOT NULL, ol_amount decimal(6,2) NOT NULL, ol_dist_info char(24) NOT NULL",
              "ol_w_id, ol_d_id, ol_o_id, ol_number"),
          new Table(
              "stock",
              "s_w_id",
              "s_i_id int NOT NULL, s_w_id int NOT NULL, s_quantity int NOT NULL, "
                  + districtTexts()
                  + "s_ytd int NOT NULL, s_order_cnt int NOT NULL, s_remote_cnt int NOT NULL, s_data varchar(50) NOT NULL",
              "s_w_id, s_i_id"));

  private Schema() {}

  private static String districtTexts() {
    StringBuilder columns = new StringBuilder();
    for (int district = 1; district <= Population.DISTRICTS; district++) {
      columns.append("s_dist_%02d char(24) NOT NULL, ".formatted(district));
    }
    return columns.toString();
  }

  /** The names of all but the mark. */
  static List<String> tables() {
    return TABLES.stream().map(Table::name).toList();
  }

  /** The names of the columns of each table, the mark the last. */
  static Map<String, Set<String>> columns() {
    Map<String, Set<String>> columns = new LinkedHashMap<>();
    TABLES.forEach(table -> columns.put(table.name(), names(table.columns())));
    columns.put(MARK, names(MARK_COLUMNS));
    return columns;
  }

  private static Set<String> names(String columns) {
    return Stream.of(columns.split(", ", -1))
        .map(column -> column.substring(0, column.indexOf(' ')))
        .collect(Collectors.toSet());
  }

  /** Creates the mark. */
  static String createMark(Database database, Distribution distribution) {
    return "CREATE TABLE %s (%s)%s"
        .formatted(MARK, MARK_COLUMNS, database.placed(distribution, null));
  }

  /** Creates the others, empty. */
  static List<String> create(Database database, Distribution distribution) {
    return TABLES.stream()
        .map(
            table ->
                "CREATE TABLE "
                    + table.name()
                    + " ("
                    + table.columns().formatted(database.timestamp())
                    + (table.key() == null ? "" : ", PRIMARY KEY (" + table.key() + ")")
                    + ")"
                    + database.placed(distribution, table.warehouse()))
        .toList();
  }

  /** What is done when all rows are there. */
  static List<String> finish(Database database) {
    return Stream.concat(
            Stream.of(
                "CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first)",
                "CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)"),
            tables().stream().map(database::analyze))
        .toList();
  }
}

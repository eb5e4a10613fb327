package io.mgtm.bench.tpcc;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the consistency conditions are about, of each warehouse and of each district.
 *
 * @param paid of each warehouse, the year's sum
 * @param lines of each district, how many lines its orders have
 */
record Facts(
    SortedMap<Integer, BigDecimal> paid,
    SortedMap<Place, District> districts,
    SortedMap<Place, Orders> orders,
    SortedMap<Place, Undelivered> undelivered,
    SortedMap<Place, Long> lines) {

  /** A district. */
  record Place(int warehouse, int district) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
        Comparator.comparingInt(Place::warehouse).thenComparingInt(Place::district);

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }
  }

  /** Its row. */
  record District(BigDecimal paid, long nextOrder) {}

  /**
   * Its orders.
   *
   * @param lines how many they should have
   */
  record Orders(long highest, long lines) {}

  /** Its orders that are not delivered. */
  record Undelivered(long lowest, long highest, long count) {}

  /** Reads them, of one moment if the session's isolation has it so, and ends the transaction. */
  static Facts read(Session session) throws SQLException {
    SortedMap<Integer, BigDecimal> paid = new TreeMap<>();
    session
        .rows(
            "SELECT w_id, w_ytd FROM warehouse",
            row -> Map.entry(row.getInt(1), row.getBigDecimal(2)))
        .forEach(entry -> paid.put(entry.getKey(), entry.getValue()));
    Facts facts =
        new Facts(
            paid,
            byDistrict(
                session,
                "SELECT d_w_id, d_id, d_ytd, d_next_o_id FROM district",
                row -> new District(row.getBigDecimal(3), row.getLong(4))),
            byDistrict(
                session,
                "SELECT o_w_id, o_d_id, MAX(o_id), SUM(o_ol_cnt) FROM orders GROUP BY o_w_id, o_d_id",
                row -> new Orders(row.getLong(3), row.getLong(4))),
            byDistrict(
                session,
                "SELECT no_w_id, no_d_id, MIN(no_o_id), MAX(no_o_id), COUNT(*) FROM new_order GROUP BY no_w_id, no_d_id",
                row -> new Undelivered(row.getLong(3), row.getLong(4), row.getLong(5))),
            byDistrict(
                session,
                "SELECT ol_w_id, ol_d_id, COUNT(*) FROM order_line GROUP BY ol_w_id, ol_d_id",
                row -> row.getLong(3)));
    session.commit();
    return facts;
  }

  private static <T> SortedMap<Place, T> byDistrict(
      Session session, String sql, Session.Reader<T> reader) throws SQLException {
    SortedMap<Place, T> all = new TreeMap<>();
    session
        .rows(sql, row -> Map.entry(key(row), reader.read(row)))
        .forEach(entry -> all.put(entry.getKey(), entry.getValue()));
    return all;
  }

  private static Place key(ResultSet row) throws SQLException {
    return new Place(row.getInt(1), row.getInt(2));
  }
}

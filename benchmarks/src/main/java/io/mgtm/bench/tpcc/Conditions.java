package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Facts.District;
import io.mgtm.bench.tpcc.Facts.Orders;
import io.mgtm.bench.tpcc.Facts.Place;
import io.mgtm.bench.tpcc.Facts.Undelivered;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The consistency conditions 1 to 4 of clause 3.3.2. */
final class Conditions {
  /**
   * Where one does not hold.
   *
   * @param condition 1 to 4
   * @param district 0 for a whole warehouse
   * @param found the values that differ
   */
  record Difference(int condition, int warehouse, int district, String found) {
    @Override
    public String toString() {
      return "condition %d, warehouse %d%s: %s"
          .formatted(condition, warehouse, district == 0 ? "" : ", district " + district, found);
    }
  }

  private final Facts facts;
  private final List<Difference> differences = new ArrayList<>();

  private Conditions(Facts facts) {
    this.facts = facts;
  }

  /** All places where one does not hold. */
  static List<Difference> differences(Facts facts) {
    Conditions conditions = new Conditions(facts);
    conditions.paid();
    conditions.numbers();
    conditions.gaps();
    conditions.lines();
    return List.copyOf(conditions.differences);
  }

  private void expect(boolean holds, int condition, Place where, String found) {
    if (!holds) {
      differences.add(new Difference(condition, where.warehouse(), where.district(), found));
    }
  }

  /** 1: a warehouse's sum is that of its districts. */
  private void paid() {
    SortedMap<Integer, BigDecimal> sums = new TreeMap<>();
    facts
        .districts()
        .forEach((key, district) -> sums.merge(key.warehouse(), district.paid(), BigDecimal::add));
    SortedSet<Integer> warehouses = new TreeSet<>(facts.paid().keySet());
    warehouses.addAll(sums.keySet());
    for (int warehouse : warehouses) {
      BigDecimal paid = facts.paid().get(warehouse);
      BigDecimal sum = sums.get(warehouse);
      expect(
          paid != null && sum != null && paid.compareTo(sum) == 0,
          1,
          new Place(warehouse, 0),
          "W_YTD is %s, the sum of D_YTD is %s".formatted(paid, sum));
    }
  }

  /** 2: the next order's number follows the highest order's, which is the highest undelivered. */
  private void numbers() {
    for (Place key : keys(facts.districts(), facts.orders(), facts.undelivered())) {
      District district = facts.districts().get(key);
      Orders orders = facts.orders().get(key);
      Undelivered undelivered = facts.undelivered().get(key);
      Long next = district == null ? null : district.nextOrder();
      Long highest = orders == null ? null : orders.highest();
      Long waiting = undelivered == null ? null : undelivered.highest();
      boolean holds =
          next != null
              && highest != null
              && next - 1 == highest
              && (waiting == null || waiting.equals(highest));
      expect(
          holds,
          2,
          key,
          "D_NEXT_O_ID is %s, the highest O_ID is %s, the highest NO_O_ID is %s"
              .formatted(next, highest, waiting));
    }
  }

  /** 3: the undelivered orders have no gap. */
  private void gaps() {
    facts
        .undelivered()
        .forEach(
            (key, found) ->
                expect(
                    found.highest() - found.lowest() + 1 == found.count(),
                    3,
                    key,
                    "NO_O_ID is from %d to %d in %d rows"
                        .formatted(found.lowest(), found.highest(), found.count())));
  }

  /** 4: the orders have as many lines as they say. */
  private void lines() {
    for (Place key : keys(facts.orders(), facts.lines())) {
      Orders orders = facts.orders().get(key);
      long said = orders == null ? 0 : orders.lines();
      long found = facts.lines().getOrDefault(key, 0L);
      expect(
          said == found,
          4,
          key,
          "the sum of O_OL_CNT is %d, ORDER_LINE has %d rows".formatted(said, found));
    }
  }

  private static SortedSet<Place> keys(Map<?, ?>... maps) {
    SortedSet<Place> keys = new TreeSet<>();
    for (Map<?, ?> map : maps) {
      map.keySet().forEach(key -> keys.add((Place) key));
    }
    return keys;
  }
}

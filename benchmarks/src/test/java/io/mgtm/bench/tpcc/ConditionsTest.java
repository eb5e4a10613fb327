package io.mgtm.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.tpcc.Facts.District;
import io.mgtm.bench.tpcc.Facts.Orders;
import io.mgtm.bench.tpcc.Facts.Place;
import io.mgtm.bench.tpcc.Facts.Undelivered;
import java.math.BigDecimal;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ConditionsTest {
  private static final Place KEY = new Place(2, 3);

  private final Facts facts =
      new Facts(
          new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

  ConditionsTest() {
    for (int warehouse = 1; warehouse <= 2; warehouse++) {
      facts.paid().put(warehouse, new BigDecimal("3000.0"));
      for (int district = 1; district <= 10; district++) {
        Place key = new Place(warehouse, district);
        facts.districts().put(key, new District(new BigDecimal("300.00"), 31));
        facts.orders().put(key, new Orders(30, 290));
        facts.undelivered().put(key, new Undelivered(22, 30, 9));
        facts.lines().put(key, 290L);
      }
    }
  }

  private void assertFound(String... found) {
    assertThat(Conditions.differences(facts)).extracting(Object::toString).containsExactly(found);
  }

  @Test
  void allHold() {
    assertFound();
  }

  @Test
  void aDistrictMayHaveDeliveredAll() {
    facts.undelivered().remove(KEY);
    assertFound();
  }

  @Test
  void aPaymentThatWasHalfDone() {
    facts.paid().put(2, new BigDecimal("3000.01"));
    assertFound("condition 1, warehouse 2: W_YTD is 3000.01, the sum of D_YTD is 3000.00");
  }

  @Test
  void aWarehouseThatIsLost() {
    facts.paid().remove(1);
    assertFound("condition 1, warehouse 1: W_YTD is null, the sum of D_YTD is 3000.00");
  }

  @Test
  void aNumberThatNoOrderHas() {
    facts.districts().put(KEY, new District(new BigDecimal("300.00"), 32));
    assertFound(
        "condition 2, warehouse 2, district 3: D_NEXT_O_ID is 32, the highest O_ID is 30, the highest NO_O_ID is 30");
  }

  @Test
  void anOrderThatWasNotQueued() {
    facts.undelivered().put(KEY, new Undelivered(22, 29, 8));
    assertFound(
        "condition 2, warehouse 2, district 3: D_NEXT_O_ID is 31, the highest O_ID is 30, the highest NO_O_ID is 29");
  }

  @Test
  void aDistrictWithoutOrders() {
    facts.orders().remove(KEY);
    assertFound(
        "condition 2, warehouse 2, district 3: D_NEXT_O_ID is 31, the highest O_ID is null, the highest NO_O_ID is 30",
        "condition 4, warehouse 2, district 3: the sum of O_OL_CNT is 0, ORDER_LINE has 290 rows");
  }

  @Test
  void aGapAmongTheUndelivered() {
    facts.undelivered().put(KEY, new Undelivered(22, 30, 8));
    assertFound("condition 3, warehouse 2, district 3: NO_O_ID is from 22 to 30 in 8 rows");
  }

  @Test
  void aLineThatIsLost() {
    facts.lines().put(KEY, 289L);
    assertFound(
        "condition 4, warehouse 2, district 3: the sum of O_OL_CNT is 290, ORDER_LINE has 289 rows");
  }
}

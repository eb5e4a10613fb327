package io.mgtm.bench.tpcc;

/**
 * How many rows there are, and how they are drawn from.
 *
 * @param warehouses 1 and more
 * @param scale 1 for the specification's population of a warehouse (clause 4.3.3), N for an Nth of
 *     its items, customers and orders; a warehouse has ten districts always
 */
record Population(int warehouses, int scale) {
  static final int WAREHOUSES_MAX = 10_000;
  static final int SCALE_MAX = 100;
  static final int DISTRICTS = 10;

  private static final int ITEMS = 100_000;
  private static final int CUSTOMERS = 3_000;

  /** How many times A, 8191, goes into the item numbers. */
  private static final int ITEM_PART = 12;

  /** The same of the customers' numbers, 1023, and the last names, 255. */
  private static final int PART = 2;

  private static final int C_ITEM = 4_203;
  private static final int C_CUSTOMER = 619;

  /** Their difference is one that clause 2.1.6.1 allows: 65 to 119, neither 96 nor 112. */
  private static final int C_LAST_NAME_AT_LOAD = 157;

  private static final int C_LAST_NAME_AT_RUN = 223;

  Population {
    if (warehouses < 1 || warehouses > WAREHOUSES_MAX) {
      throw new IllegalArgumentException("--warehouses must be from 1 to " + WAREHOUSES_MAX);
    }
    if (scale < 1 || scale > SCALE_MAX) {
      throw new IllegalArgumentException("--scale must be from 1 to " + SCALE_MAX);
    }
  }

  int items() {
    return ITEMS / scale;
  }

  /** Of a district; as many orders it has at first. */
  int customers() {
    return CUSTOMERS / scale;
  }

  /** The first order that is not delivered at first. */
  int firstUndelivered() {
    return customers() - customers() * 3 / 10 + 1;
  }

  private int lastNames() {
    return Math.min(LastNames.COUNT, customers());
  }

  NonUniform itemIds() {
    return NonUniform.over(1, items(), ITEM_PART, C_ITEM);
  }

  NonUniform customerIds() {
    return NonUniform.over(1, customers(), PART, C_CUSTOMER);
  }

  NonUniform lastNamesAtLoad() {
    return NonUniform.over(0, lastNames() - 1, PART, C_LAST_NAME_AT_LOAD);
  }

  NonUniform lastNamesAtRun() {
    return NonUniform.over(0, lastNames() - 1, PART, C_LAST_NAME_AT_RUN);
  }

  /** For a heading. */
  String describe() {
    return "%d %s%s"
        .formatted(
            warehouses,
            warehouses == 1 ? "warehouse" : "warehouses",
            scale == 1
                ? ""
                : " of 1/%d of the specification's population (%,d items, %,d customers a district)"
                    .formatted(scale, items(), customers()));
  }
}

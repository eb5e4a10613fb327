package io.mgtm.bench.tpcc;

/** The five transactions, with the share that clause 5.2.3 leaves each of them. */
enum TransactionType {
  NEW_ORDER("New-Order", 45),
  PAYMENT("Payment", 43),
  ORDER_STATUS("Order-Status", 4),
  DELIVERY("Delivery", 4),
  STOCK_LEVEL("Stock-Level", 4);

  private final String title;
  private final int percent;

  TransactionType(String title, int percent) {
    this.title = title;
    this.percent = percent;
  }

  /** The specification's name. */
  String title() {
    return title;
  }

  int percent() {
    return percent;
  }

  /** The one that stands at a number from 1 to 100. */
  static TransactionType at(int number) {
    int end = 0;
    for (TransactionType type : values()) {
      end += type.percent;
      if (number <= end) {
        return type;
      }
    }
    throw new IllegalArgumentException("no transaction stands at " + number);
  }
}

package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Reply;

/**
 * The replies of a session that its gateway may still ask for, by number: a ring in ascending
 * order, to which almost all is added at the end and dropped at the beginning.
 */
final class ReplyWindow {
  private static final int CAPACITY_MIN = 16;

  /** Called for each reply. */
  interface Visitor {
    void visit(long number, Reply reply);
  }

  private long[] numbers = new long[CAPACITY_MIN];
  private Reply[] replies = new Reply[CAPACITY_MIN];
  private int head;
  private int size;

  /** As it is now. */
  ReplyWindow picture() {
    ReplyWindow picture = new ReplyWindow();
    picture.numbers = numbers.clone();
    picture.replies = replies.clone();
    picture.head = head;
    picture.size = size;
    return picture;
  }

  int size() {
    return size;
  }

  private int slot(int i) {
    return (head + i) & (numbers.length - 1);
  }

  /** The place of {@code number}, or of the first one above it. */
  private int placeOf(long number) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (numbers[slot(middle)] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The reply of a number, null when none is kept. */
  Reply find(long number) {
    if (size == 0 || number > numbers[slot(size - 1)]) {
      return null;
    }
    int place = slot(placeOf(number));
    return numbers[place] == number ? replies[place] : null;
  }

  /** Keeps a reply under a number that has none. */
  void put(long number, Reply reply) {
    int place = size == 0 || number > numbers[slot(size - 1)] ? size : placeOf(number);
    if (place < size && numbers[slot(place)] == number) {
      throw new IllegalStateException("command " + number + " has a reply already");
    }
    if (size == numbers.length) {
      grow();
    }
    for (int i = size; i > place; i--) {
      numbers[slot(i)] = numbers[slot(i - 1)];
      replies[slot(i)] = replies[slot(i - 1)];
    }
    numbers[slot(place)] = number;
    replies[slot(place)] = reply;
    size++;
  }

  private void grow() {
    long[] moreNumbers = new long[numbers.length * 2];
    Reply[] moreReplies = new Reply[moreNumbers.length];
    for (int i = 0; i < size; i++) {
      moreNumbers[i] = numbers[slot(i)];
      moreReplies[i] = replies[slot(i)];
    }
    numbers = moreNumbers;
    replies = moreReplies;
    head = 0;
  }

  /** Forgets the replies up to a number. */
  void dropUpTo(long number) {
    while (size > 0 && numbers[head] <= number) {
      replies[head] = null;
      head = slot(1);
      size--;
    }
    if (size == 0 && numbers.length > CAPACITY_MIN * CAPACITY_MIN) {
      numbers = new long[CAPACITY_MIN];
      replies = new Reply[CAPACITY_MIN];
      head = 0;
    }
  }

  void forEach(Visitor visitor) {
    for (int i = 0; i < size; i++) {
      visitor.visit(numbers[slot(i)], replies[slot(i)]);
    }
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder();
    forEach((number, reply) -> out.append(number).append(' ').append(reply).append("; "));
    return size + " replies: " + out;
  }
}

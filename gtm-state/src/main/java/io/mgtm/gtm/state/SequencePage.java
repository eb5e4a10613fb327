package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Names;
import java.util.Arrays;

/**
 * Some sequences, in the order in which they came, so that the same history gives the same bytes.
 * They lie in three arrays, however many there are: a million of them would be five million objects
 * otherwise, and a collector looks at each.
 */
final class SequencePage {
  private static final int VALUE = 0;
  private static final int INIT = 1;
  private static final int LAST = 2;
  private static final int INCREMENT = 3;
  private static final int MIN = 4;
  private static final int MAX = 5;
  private static final int STEP = 6;
  private static final int USED = 7;
  private static final int COVERED = 8;
  private static final int RESERVED = 9;
  private static final int RAISED_IN_ENTRY = 10;

  /** Where the key begins, its length, and the flags. */
  private static final int KEY = 11;

  private static final int NUMBERS = 12;
  private static final int LENGTH_BITS = 16;
  private static final int FLAG_BITS = 8;
  private static final int CYCLE = 1;
  private static final int CALLED = 2;
  private static final int BYTE = 0xff;

  private int count;
  private int[] hashes;
  private long[] numbers;
  private byte[] keys;
  private int keyBytes;

  SequencePage() {
    hashes = new int[1];
    numbers = new long[NUMBERS];
    keys = new byte[0];
  }

  /** The same sequences. */
  SequencePage(SequencePage of) {
    count = of.count;
    hashes = of.hashes.clone();
    numbers = of.numbers.clone();
    keys = of.keys.clone();
    keyBytes = of.keyBytes;
  }

  int count() {
    return count;
  }

  /** Where a sequence is, or -1. */
  int find(String key) {
    int hash = key.hashCode();
    for (int at = 0; at < count; at++) {
      if (hashes[at] == hash && hasKey(at, key)) {
        return at;
      }
    }
    return -1;
  }

  private boolean hasKey(int at, String key) {
    int length = keyLength(at);
    int from = keyFrom(at);
    if (length != key.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((keys[from + i] & BYTE) != key.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private int keyFrom(int at) {
    return (int) (numbers[at * NUMBERS + KEY] >>> (LENGTH_BITS + FLAG_BITS));
  }

  private int keyLength(int at) {
    return (int) (numbers[at * NUMBERS + KEY] >>> FLAG_BITS) & 0xffff;
  }

  private String key(int at) {
    return new String(keys, keyFrom(at), keyLength(at), Names.BYTES);
  }

  /** A copy of the one at a place. */
  Sequence get(int at) {
    return get(at, key(at));
  }

  /** A copy of the one at a place, whose key the caller has. */
  Sequence get(int at, String key) {
    int from = at * NUMBERS;
    Sequence s = new Sequence(key);
    s.value = numbers[from + VALUE];
    s.init = numbers[from + INIT];
    s.last = numbers[from + LAST];
    s.increment = numbers[from + INCREMENT];
    s.min = numbers[from + MIN];
    s.max = numbers[from + MAX];
    s.cycle = (numbers[from + KEY] & CYCLE) != 0;
    s.called = (numbers[from + KEY] & CALLED) != 0;
    s.restoreReservation(
        new Reservation(
            numbers[from + USED],
            numbers[from + COVERED],
            numbers[from + RESERVED],
            numbers[from + RAISED_IN_ENTRY]),
        numbers[from + STEP]);
    return s;
  }

  /** Changes the one at a place to {@code s}, which has the same key. */
  void set(int at, Sequence s) {
    int from = at * NUMBERS;
    Reservation reservation = s.reservation();
    numbers[from + VALUE] = s.value;
    numbers[from + INIT] = s.init;
    numbers[from + LAST] = s.last;
    numbers[from + INCREMENT] = s.increment;
    numbers[from + MIN] = s.min;
    numbers[from + MAX] = s.max;
    numbers[from + STEP] = s.step();
    numbers[from + USED] = reservation.used();
    numbers[from + COVERED] = reservation.covered();
    numbers[from + RESERVED] = reservation.reserved();
    numbers[from + RAISED_IN_ENTRY] = reservation.raisedInEntry();
    long where = numbers[from + KEY] & ~(long) (CYCLE | CALLED);
    numbers[from + KEY] = where | (s.cycle ? CYCLE : 0) | (s.called ? CALLED : 0);
  }

  /**
   * Draws the next value of the one at a place, as {@link Sequence#draw} and {@link
   * Sequence#settle} do, where that is a plain step: within its bounds, and backed by the last
   * raise. False, and nothing is done, where it takes more.
   */
  boolean step(int at) {
    int from = at * NUMBERS;
    long value = numbers[from + VALUE];
    long increment = numbers[from + INCREMENT];
    long following = value + increment;
    boolean inside =
        increment > 0
            ? following > value && following <= numbers[from + MAX]
            : following < value && following >= numbers[from + MIN];
    boolean called = (numbers[from + KEY] & CALLED) != 0;
    if (!inside || !called || numbers[from + USED] >= numbers[from + COVERED]) {
      return false;
    }
    numbers[from + VALUE] = following;
    numbers[from + LAST] = following;
    numbers[from + USED]++;
    return true;
  }

  long value(int at) {
    return numbers[at * NUMBERS + VALUE];
  }

  /** Adds one whose key is new. */
  void add(Sequence s) {
    int length = s.key.length();
    if (count == hashes.length) {
      int room = count + Math.max(1, count / 2);
      hashes = Arrays.copyOf(hashes, room);
      numbers = Arrays.copyOf(numbers, room * NUMBERS);
    }
    if (keyBytes + length > keys.length) {
      keys = Arrays.copyOf(keys, Math.max(keyBytes + length, keys.length + keys.length / 2));
    }
    for (int i = 0; i < length; i++) {
      keys[keyBytes + i] = (byte) s.key.charAt(i);
    }
    hashes[count] = s.key.hashCode();
    placeKey(count, keyBytes, length);
    set(count, s);
    keyBytes += length;
    count++;
  }

  private void placeKey(int at, int from, int length) {
    numbers[at * NUMBERS + KEY] = ((long) from << LENGTH_BITS | length) << FLAG_BITS;
  }

  /** Takes the one at a place out; the others keep their order. */
  void remove(int at) {
    int from = keyFrom(at);
    int length = keyLength(at);
    System.arraycopy(keys, from + length, keys, from, keyBytes - from - length);
    keyBytes -= length;
    int after = count - at - 1;
    System.arraycopy(hashes, at + 1, hashes, at, after);
    System.arraycopy(numbers, (at + 1) * NUMBERS, numbers, at * NUMBERS, after * NUMBERS);
    count--;
    for (int moved = at; moved < count; moved++) {
      numbers[moved * NUMBERS + KEY] -= (long) length << (LENGTH_BITS + FLAG_BITS);
    }
  }
}

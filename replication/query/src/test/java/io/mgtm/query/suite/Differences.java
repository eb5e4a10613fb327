package io.mgtm.query.suite;

import java.util.ArrayList;
import java.util.List;

/** Lines that one list has and another has not, as diff tells them. */
final class Differences {
  /** How far one looks for where both go on alike. */
  private static final int AHEAD = 400;

  private Differences() {}

  static List<String> between(List<String> one, List<String> other) {
    List<String> found = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < one.size() && j < other.size()) {
      if (one.get(i).equals(other.get(j))) {
        i++;
        j++;
        continue;
      }
      int skip = ahead(one, i, other, j);
      int ends = skip == 0 ? i + 1 : end(one, i, other, j, skip);
      int begins = skip == 0 ? 1 : skip - (ends - i);
      for (; i < ends; i++) {
        found.add("-" + one.get(i));
      }
      int to = j + begins;
      for (; j < to; j++) {
        found.add("+" + other.get(j));
      }
    }
    one.subList(i, one.size()).forEach(line -> found.add("-" + line));
    other.subList(j, other.size()).forEach(line -> found.add("+" + line));
    return found;
  }

  /** The minimum number of lines of both texts together to be skipped. */
  private static int ahead(List<String> one, int i, List<String> other, int j) {
    for (int skip = 1; skip < AHEAD; skip++) {
      if (end(one, i, other, j, skip) >= 0) {
        return skip;
      }
    }
    return 0;
  }

  /** To where to skip of the one when so many of both are, or -1. */
  private static int end(List<String> one, int i, List<String> other, int j, int skip) {
    for (int a = 0; a <= skip; a++) {
      int b = skip - a;
      if (i + a < one.size() && j + b < other.size() && one.get(i + a).equals(other.get(j + b))) {
        return i + a;
      }
    }
    return -1;
  }
}

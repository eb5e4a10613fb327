package io.mgtm.gtm.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows under a heading, each column as wide as its widest cell. */
final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... heading) {
    rows.add(List.of(heading));
  }

  void add(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(String.valueOf(cell));
    }
    if (row.size() != rows.get(0).size()) {
      throw new IllegalArgumentException("a row has " + row.size() + " cells");
    }
    rows.add(row);
  }

  /** The table, or {@code none} and a line end when there are no rows. */
  String render(String none) {
    if (rows.size() == 1) {
      return none + "\n";
    }
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder out = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      out.append(line.toString().stripTrailing()).append('\n');
    }
    return out.toString();
  }
}

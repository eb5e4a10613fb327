package io.mgtm.common;

import java.util.ArrayList;
import java.util.List;

/** Rows under a heading, each column as wide as its widest cell. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  /** Begins with the heading. */
  public TextTable(String... heading) {
    rows.add(List.of(heading));
  }

  /** Adds a row, of as many cells as the heading has. */
  public void add(Object... cells) {
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
  public String render(String none) {
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

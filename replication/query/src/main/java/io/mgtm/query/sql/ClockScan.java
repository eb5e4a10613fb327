package io.mgtm.query.sql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

/**
 * Looks in the data of a COPY for words that name the moment in which they are read, in columns
 * that take such words. It cuts lines and columns as PostgreSQL's copyfromparse.c does. Belongs to
 * one COPY.
 */
public final class ClockScan {
  private static final Set<String> WORDS = Set.of("now", "today", "tomorrow", "yesterday");
  private static final int WORD_MAX = 10;

  private final CopyFrom copy;
  private final boolean[] clock;
  private final byte[] word = new byte[WORD_MAX];
  private int letters;
  private int column;
  private boolean skipLine;
  private boolean quoted;
  private boolean escaped;
  private boolean found;

  /** A scan at the beginning of the data. */
  public ClockScan(CopyFrom copy) {
    this.copy = copy;
    this.clock = new boolean[copy.clock().stream().mapToInt(i -> i + 1).max().orElse(0)];
    copy.clock().forEach(i -> clock[i] = true);
    this.skipLine = copy.header();
  }

  /** Whether there is anything to look for. */
  public boolean isNeeded() {
    return clock.length > 0;
  }

  /** Takes one byte more: whether such a word may stand in the data up to this one. */
  public boolean next(byte data) {
    if (copy.csv()) {
      csv(data);
    } else {
      text(data);
    }
    return found;
  }

  /** Whether such a word ends the data. */
  public boolean end() {
    endWord();
    return found;
  }

  private void text(byte b) {
    if (escaped) {
      escaped = false;
      // Only \N is written in such a column; what else may be a letter of a word.
      found |= isWatched() && b != 'N' && b != '.';
      letter(b);
    } else if (b == '\\') {
      escaped = true;
    } else if (b == copy.delimiter()) {
      endColumn();
    } else if (b == '\n' || b == '\r') {
      endLine();
    } else {
      letter(b);
    }
  }

  private void csv(byte b) {
    byte escape = copy.escape() == copy.quote() ? 0 : copy.escape();
    if (quoted && escape != 0 && b == escape) {
      escaped = !escaped;
    }
    boolean toggles = b == copy.quote() && !escaped;
    if (toggles) {
      quoted = !quoted;
    }
    if (escape == 0 || b != escape) {
      escaped = false;
    }
    if (toggles || (escape != 0 && b == escape && quoted)) {
      // It is no part of the value, so that the word goes on after it.
      return;
    }
    if (!quoted && b == copy.delimiter()) {
      endColumn();
    } else if (!quoted && (b == '\n' || b == '\r')) {
      endLine();
    } else {
      letter(b);
    }
  }

  private boolean isWatched() {
    return !skipLine && column < clock.length && clock[column];
  }

  private void letter(byte b) {
    if (!isWatched()) {
      return;
    }
    int lower = b | 0x20;
    if (lower >= 'a' && lower <= 'z') {
      if (letters < WORD_MAX) {
        word[letters] = (byte) lower;
      }
      letters++;
    } else {
      endWord();
    }
  }

  private void endWord() {
    if (letters > 0 && letters < WORD_MAX && !found) {
      byte[] one = Arrays.copyOf(word, letters);
      found = WORDS.contains(new String(one, StandardCharsets.US_ASCII));
    }
    letters = 0;
  }

  private void endColumn() {
    endWord();
    column++;
  }

  private void endLine() {
    endWord();
    column = 0;
    skipLine = false;
  }
}

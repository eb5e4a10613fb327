package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * In mode lazy: the entries that replies rest on which this gateway has had, until the leader says
 * that they are stable; a later leader may lack them, and gets them from here. No I/O, no time; one
 * thread.
 *
 * <p>Invariant: they are of one term, and their numbers have no gap.
 */
public final class KeptEntries {
  private final Deque<byte[]> entries = new ArrayDeque<>();
  private long term;
  private long last;
  private long bytes;

  /** The term of the leader that gave them; 0 before there was one. */
  public long term() {
    return term;
  }

  public int size() {
    return entries.size();
  }

  /**
   * What the leader gives. Those of an older term are no longer needed, since a leader gives none
   * before it has what the gateways have.
   *
   * @throws IllegalArgumentException when they do not follow what is here, or are too many: the
   *     link is to be opened anew
   */
  public void add(LinkEntries given) {
    if (given.term() < term) {
      return;
    }
    if (given.term() > term) {
      clear();
      term = given.term();
    }
    dropUpTo(given.stable());
    long number = given.first();
    for (byte[] entry : given.entries()) {
      add(number, entry, given.stable());
      number++;
    }
  }

  private void add(long number, byte[] entry, long stable) {
    if (number <= stable || (number <= last && !entries.isEmpty())) {
      return;
    }
    if (!entries.isEmpty() && number != last + 1) {
      throw new IllegalArgumentException("entry " + number + " comes after " + last);
    }
    if (bytes + entry.length > LinkFormat.ENTRIES_BYTES_MAX) {
      throw new IllegalArgumentException("more than " + bytes + " bytes of entries to keep");
    }
    entries.addLast(entry);
    last = number;
    bytes += entry.length;
  }

  private long first() {
    return last - entries.size() + 1;
  }

  private void dropUpTo(long stable) {
    while (!entries.isEmpty() && first() <= stable) {
      bytes -= entries.removeFirst().length;
    }
  }

  private void clear() {
    entries.clear();
    bytes = 0;
    last = 0;
  }

  /** A leader of this term serves: it has everything of those before, or has skipped it. */
  public void served(long ofTerm) {
    if (ofTerm > term) {
      clear();
    }
  }

  /**
   * All of them, to be presented.
   *
   * @param pieceBytes about how much one piece takes
   */
  public List<LinkEntries> pieces(int pieceBytes) {
    List<LinkEntries> pieces = new ArrayList<>();
    List<byte[]> piece = new ArrayList<>();
    long number = first();
    long size = 0;
    for (byte[] entry : entries) {
      if (size + entry.length > pieceBytes && !piece.isEmpty()) {
        pieces.add(new LinkEntries(term, number, number - 1, piece));
        number += piece.size();
        piece.clear();
        size = 0;
      }
      piece.add(entry);
      size += entry.length + Integer.BYTES;
    }
    if (!piece.isEmpty()) {
      pieces.add(new LinkEntries(term, number, number - 1, piece));
    }
    return pieces;
  }
}

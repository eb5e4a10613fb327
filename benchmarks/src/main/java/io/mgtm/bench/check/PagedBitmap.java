package io.mgtm.bench.check;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * A set of numbers that lie close together: a bit each, in pages that exist once one of theirs is
 * added. All 2^32 gxids would take 512 MiB; a million in a row take 125 KiB. One thread.
 */
final class PagedBitmap {
  private static final int PAGE_BITS = 16;
  private static final int WORDS = 1 << (PAGE_BITS - 6);

  private final Long2ObjectHashMap<long[]> pages = new Long2ObjectHashMap<>();
  private long lastPageNumber = -1;
  private long[] lastPage;

  /** Adds {@code number}; false when it was there. */
  boolean add(long number) {
    long[] page = page(number);
    if (page == null) {
      page = new long[WORDS];
      lastPage = page;
      pages.put(lastPageNumber, page);
    }
    int word = word(number);
    long bit = 1L << number;
    boolean absent = (page[word] & bit) == 0;
    page[word] |= bit;
    return absent;
  }

  boolean contains(long number) {
    long[] page = page(number);
    return page != null && (page[word(number)] & 1L << number) != 0;
  }

  private static int word(long number) {
    return (int) (number >>> 6) & (WORDS - 1);
  }

  private long[] page(long number) {
    long pageNumber = number >> PAGE_BITS;
    if (pageNumber != lastPageNumber || lastPage == null) {
      lastPageNumber = pageNumber;
      lastPage = pages.get(pageNumber);
    }
    return lastPage;
  }
}

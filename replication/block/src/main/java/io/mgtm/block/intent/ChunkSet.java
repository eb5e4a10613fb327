package io.mgtm.block.intent;

import java.util.Arrays;

/**
 * A set of chunk numbers of a volume, with a summary level so that emptying it and walking it cost
 * what it holds, not what the volume holds.
 *
 * <p>Not thread-safe: its owner's thread calls it. Chunk numbers outside {@code 0 .. size-1} throw
 * {@link IndexOutOfBoundsException}.
 */
public final class ChunkSet {
  private int size;
  private long[] words;
  private long[] summary;
  private int cardinality;

  /** An empty set over chunks {@code 0 .. size-1}. */
  public ChunkSet(int size) {
    if (size < 0) {
      throw new IllegalArgumentException("a chunk set cannot have " + size + " chunks");
    }
    this.size = size;
    this.words = new long[wordsFor(size)];
    this.summary = new long[wordsFor(words.length)];
  }

  private static int wordsFor(int bits) {
    return (bits >>> 6) + ((bits & 63) == 0 ? 0 : 1);
  }

  /** The number of chunks the set ranges over. */
  public int size() {
    return size;
  }

  /** How many chunks are in the set. */
  public int cardinality() {
    return cardinality;
  }

  /** Whether no chunk is in the set. */
  public boolean isEmpty() {
    return cardinality == 0;
  }

  /** Whether {@code chunk} is in the set. */
  public boolean contains(int chunk) {
    check(chunk);
    return (words[chunk >>> 6] & (1L << chunk)) != 0;
  }

  /** Adds {@code chunk} and says whether it was new. */
  public boolean add(int chunk) {
    check(chunk);
    int word = chunk >>> 6;
    long bit = 1L << chunk;
    if ((words[word] & bit) != 0) {
      return false;
    }
    words[word] |= bit;
    summary[word >>> 6] |= 1L << word;
    cardinality++;
    return true;
  }

  /** Takes {@code chunk} out and says whether it was in the set. */
  public boolean remove(int chunk) {
    check(chunk);
    int word = chunk >>> 6;
    long bit = 1L << chunk;
    if ((words[word] & bit) == 0) {
      return false;
    }
    words[word] &= ~bit;
    if (words[word] == 0) {
      summary[word >>> 6] &= ~(1L << word);
    }
    cardinality--;
    return true;
  }

  /** The first chunk of the set at or after {@code from}, or -1. */
  public int next(int from) {
    if (from >= size) {
      return -1;
    }
    int word = from >>> 6;
    long bits = words[word] & (-1L << from);
    if (bits != 0) {
      return (word << 6) + Long.numberOfTrailingZeros(bits);
    }
    int nextWord = word + 1;
    int group = nextWord >>> 6;
    if (group >= summary.length) {
      return -1;
    }
    long groupBits = summary[group] & (-1L << nextWord);
    while (groupBits == 0) {
      group++;
      if (group == summary.length) {
        return -1;
      }
      groupBits = summary[group];
    }
    int found = (group << 6) + Long.numberOfTrailingZeros(groupBits);
    return (found << 6) + Long.numberOfTrailingZeros(words[found]);
  }

  /** Whether a chunk from {@code from} to below {@code to} is in the set. */
  public boolean intersects(int from, int to) {
    if (from >= to) {
      return false;
    }
    check(from);
    check(to - 1);
    int firstWord = from >>> 6;
    int lastWord = (to - 1) >>> 6;
    for (int word = firstWord; word <= lastWord; word++) {
      long bits = words[word];
      bits &= word == firstWord ? -1L << from : -1L;
      bits &= word == lastWord ? -1L >>> -to : -1L;
      if (bits != 0) {
        return true;
      }
    }
    return false;
  }

  /** Adds every chunk of {@code other}, which must range over as many chunks. */
  public void addAll(ChunkSet other) {
    for (int chunk = other.next(0); chunk >= 0; chunk = other.next(chunk + 1)) {
      add(chunk);
    }
  }

  /** Adds every chunk there is. */
  public void fill() {
    for (int chunk = 0; chunk < size; chunk++) {
      add(chunk);
    }
  }

  /** Empties the set, at a cost proportional to what it held. */
  public void clear() {
    for (int group = 0; group < summary.length && cardinality > 0; group++) {
      long groupBits = summary[group];
      while (groupBits != 0) {
        int word = (group << 6) + Long.numberOfTrailingZeros(groupBits);
        cardinality -= Long.bitCount(words[word]);
        words[word] = 0;
        groupBits &= groupBits - 1;
      }
      summary[group] = 0;
    }
  }

  /** Ranges over {@code newSize} chunks from now on; only growth is allowed. */
  public void grow(int newSize) {
    if (newSize < size) {
      throw new IllegalArgumentException("a chunk set of " + size + " cannot shrink to " + newSize);
    }
    size = newSize;
    words = Arrays.copyOf(words, wordsFor(newSize));
    summary = Arrays.copyOf(summary, wordsFor(words.length));
  }

  /** The 64 chunks from {@code 64 * index} on, lowest chunk in the lowest bit. */
  public long word(int index) {
    return words[index];
  }

  /** How many words {@link #word} knows. */
  public int wordCount() {
    return words.length;
  }

  private void check(int chunk) {
    if (chunk < 0 || chunk >= size) {
      throw new IndexOutOfBoundsException("chunk " + chunk + " of " + size);
    }
  }
}

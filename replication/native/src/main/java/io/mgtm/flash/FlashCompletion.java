package io.mgtm.flash;

/** Told of operations that are complete; see {@link FlashQueue#await}. */
@FunctionalInterface
public interface FlashCompletion {

  /**
   * One operation is complete. Runs on the queue's thread, inside {@link FlashQueue#await} or
   * {@link FlashQueue#poll}; it may prepare further operations on the queue, but not wait on it.
   *
   * @param tag what the operation was given
   * @param bytes how many bytes were read or written; less than asked only when a read met the end
   *     of the file. 0 for the other operations and when it failed
   * @param error {@code null}, or why it failed; a write that failed may have written some bytes
   */
  void completed(long tag, int bytes, FlashException error);
}

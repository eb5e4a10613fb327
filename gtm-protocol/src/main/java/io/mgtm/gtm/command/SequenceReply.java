package io.mgtm.gtm.command;

import java.util.List;

/** Answers to {@link SequenceCommand}. */
public sealed interface SequenceReply extends Reply {

  /** Done; {@code key} is the one to echo (the new one after a rename). */
  record Done(CommandType of, String key) implements SequenceReply {}

  /** A value, of {@link CommandType#NEXT_VALUE} or {@link CommandType#LAST_VALUE}. */
  record Value(CommandType of, String key, long value) implements SequenceReply {}

  /** One sequence, with the fields that the original keeps. */
  record SequenceInfo(
      String key,
      long value,
      long init,
      long last,
      long increment,
      long min,
      long max,
      boolean cycle,
      boolean called) {}

  /**
   * Every sequence, in no order.
   *
   * @param keyBytes what the keys take together
   */
  record SequenceList(List<SequenceInfo> sequences, long keyBytes) implements SequenceReply {
    public SequenceList(List<SequenceInfo> sequences) {
      this(sequences, sequences.stream().mapToLong(s -> s.key().length()).sum());
    }
  }
}

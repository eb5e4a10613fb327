package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.List;

/** Answers to {@link SequenceCommand}. */
public sealed interface SequenceReply extends Reply {

  /** Done; {@code key} is the one to echo (the new one after a rename). */
  record Done(CommandType of, String key) implements SequenceReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.SEQUENCE_DONE;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put(of.code());
      FieldWriter.putString(out, key);
    }

    @Override
    public int variableBytes() {
      return FieldWriter.sizeOf(key);
    }

    static Done read(ByteBuffer in) {
      return new Done(FieldReader.getCommandType(in), FieldReader.getString(in));
    }
  }

  /** A value, of {@link CommandType#NEXT_VALUE} or {@link CommandType#LAST_VALUE}. */
  record Value(CommandType of, String key, long value) implements SequenceReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.SEQUENCE_VALUE;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put(of.code());
      FieldWriter.putString(out, key);
      out.putLong(value);
    }

    @Override
    public int variableBytes() {
      return FieldWriter.sizeOf(key);
    }

    static Value read(ByteBuffer in) {
      return new Value(FieldReader.getCommandType(in), FieldReader.getString(in), in.getLong());
    }
  }

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

    @Override
    public ReplyType type() {
      return ReplyType.SEQUENCE_LIST;
    }
  }
}

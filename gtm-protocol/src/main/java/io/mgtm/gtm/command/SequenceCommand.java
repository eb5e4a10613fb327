package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/**
 * Commands on sequences. A key is what the coordinator sends, its C terminator included: {@code
 * database.schema.sequence\0}.
 */
public sealed interface SequenceCommand extends Command {

  /** InvalidSequenceValue: a bound or start that is not given, so that the default holds. */
  long UNSET = 0x7fff_ffff_ffff_ffffL;

  /** A command that says no more than which sequence or database it is about. */
  sealed interface OfKey extends SequenceCommand {
    String key();

    @Override
    default void write(ByteBuffer out) {
      FieldWriter.putString(out, key());
    }
  }

  /** Creates a sequence; {@link #UNSET} stands for the default of its direction. */
  record Init(String key, long increment, long min, long max, long start, boolean cycle)
      implements SequenceCommand {
    @Override
    public CommandType type() {
      return CommandType.INIT_SEQUENCE;
    }

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putString(out, key);
      out.putLong(increment).putLong(min).putLong(max).putLong(start);
      FieldWriter.putBoolean(out, cycle);
    }

    static Init read(ByteBuffer in) {
      return new Init(
          FieldReader.getString(in),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          FieldReader.getBoolean(in));
    }
  }

  /** Hands out the next value. */
  record NextValue(String key) implements OfKey {
    @Override
    public CommandType type() {
      return CommandType.NEXT_VALUE;
    }
  }

  /** Asks for the value that was handed out last. */
  record LastValue(String key) implements OfKey {
    @Override
    public CommandType type() {
      return CommandType.LAST_VALUE;
    }
  }

  /** Sets the value; {@code called} says whether the next value is the one after it. */
  record SetValue(String key, long value, boolean called) implements SequenceCommand {
    @Override
    public CommandType type() {
      return CommandType.SET_VALUE;
    }

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putString(out, key);
      out.putLong(value);
      FieldWriter.putBoolean(out, called);
    }

    static SetValue read(ByteBuffer in) {
      return new SetValue(FieldReader.getString(in), in.getLong(), FieldReader.getBoolean(in));
    }
  }

  /** Puts the value back to the start. */
  record Reset(String key) implements OfKey {
    @Override
    public CommandType type() {
      return CommandType.RESET_SEQUENCE;
    }
  }

  /** Drops one sequence. */
  record Close(String key) implements OfKey {
    @Override
    public CommandType type() {
      return CommandType.CLOSE_SEQUENCE;
    }
  }

  /** Drops every sequence of a database; the key is {@code database\0}. */
  record CloseDatabase(String key) implements OfKey {
    @Override
    public CommandType type() {
      return CommandType.CLOSE_SEQUENCES_OF_DATABASE;
    }
  }

  /** Gives a sequence another key. */
  record Rename(String key, String newKey) implements SequenceCommand {
    @Override
    public CommandType type() {
      return CommandType.RENAME_SEQUENCE;
    }

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putString(out, key);
      FieldWriter.putString(out, newKey);
    }

    static Rename read(ByteBuffer in) {
      return new Rename(FieldReader.getString(in), FieldReader.getString(in));
    }
  }

  /**
   * Changes a sequence.
   *
   * @param last the value to restart with, when {@code restart}
   */
  record Alter(
      String key,
      long increment,
      long min,
      long max,
      long start,
      long last,
      boolean cycle,
      boolean restart)
      implements SequenceCommand {
    @Override
    public CommandType type() {
      return CommandType.ALTER_SEQUENCE;
    }

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putString(out, key);
      out.putLong(increment).putLong(min).putLong(max).putLong(start).putLong(last);
      FieldWriter.putBoolean(out, cycle);
      FieldWriter.putBoolean(out, restart);
    }

    static Alter read(ByteBuffer in) {
      return new Alter(
          FieldReader.getString(in),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          FieldReader.getBoolean(in),
          FieldReader.getBoolean(in));
    }
  }

  /**
   * Creates a sequence as another GTM left it.
   *
   * @param start the value that is handed out first while not {@code called}
   * @param value the value that was handed out last, when {@code called}
   */
  record Restore(
      String key,
      long increment,
      long min,
      long max,
      long start,
      long value,
      boolean cycle,
      boolean called)
      implements SequenceCommand {
    @Override
    public CommandType type() {
      return CommandType.RESTORE_SEQUENCE;
    }

    @Override
    public void write(ByteBuffer out) {
      FieldWriter.putString(out, key);
      out.putLong(increment).putLong(min).putLong(max).putLong(start).putLong(value);
      FieldWriter.putBoolean(out, cycle);
      FieldWriter.putBoolean(out, called);
    }

    static Restore read(ByteBuffer in) {
      return new Restore(
          FieldReader.getString(in),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          in.getLong(),
          FieldReader.getBoolean(in),
          FieldReader.getBoolean(in));
    }
  }

  /** Asks for every sequence. */
  record ListAll() implements SequenceCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_SEQUENCES;
    }

    @Override
    public void write(ByteBuffer out) {}
  }
}

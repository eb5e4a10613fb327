package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.wire.MessageType;
import io.mgtm.gtm.wire.WireException;

/** The bodies of sequence commands (gtm_seq.c). */
final class SequenceRequests {
  private static final int FULL_NAME = 0;
  private static final int DATABASE_NAME = 1;

  private SequenceRequests() {}

  static SequenceCommand read(MessageType type, FrameReader in) throws WireException {
    return switch (type) {
      case SEQUENCE_GET_NEXT -> new SequenceCommand.NextValue(key(in));
      case SEQUENCE_GET_LAST -> new SequenceCommand.LastValue(key(in));
      case SEQUENCE_INIT ->
          new SequenceCommand.Init(
              key(in),
              in.readHostLong(),
              in.readHostLong(),
              in.readHostLong(),
              in.readHostLong(),
              in.readBoolean());
      case SEQUENCE_SET_VAL ->
          new SequenceCommand.SetValue(key(in), in.readHostLong(), in.readBoolean());
      case SEQUENCE_RESET -> new SequenceCommand.Reset(key(in));
      case SEQUENCE_RENAME -> new SequenceCommand.Rename(key(in), key(in));
      case SEQUENCE_ALTER ->
          new SequenceCommand.Alter(
              key(in),
              in.readHostLong(),
              in.readHostLong(),
              in.readHostLong(),
              in.readHostLong(),
              in.readHostLong(),
              in.readBoolean(),
              in.readBoolean());
      case SEQUENCE_LIST -> new SequenceCommand.ListAll();
      case SEQUENCE_CLOSE -> close(in);
      default -> throw new IllegalArgumentException(type + " is no sequence command");
    };
  }

  private static SequenceCommand close(FrameReader in) throws WireException {
    String key = key(in);
    int keyType = in.readHostInt();
    return switch (keyType) {
      case FULL_NAME -> new SequenceCommand.Close(key);
      case DATABASE_NAME -> new SequenceCommand.CloseDatabase(key);
      default -> throw new WireException("unknown sequence key type " + keyType);
    };
  }

  /** What {@link #read} reads. */
  static void write(FrameWriter out, SequenceCommand command) {
    if (command instanceof SequenceCommand.NextValue c) {
      out.putString(c.key());
    } else if (command instanceof SequenceCommand.LastValue c) {
      out.putString(c.key());
    } else if (command instanceof SequenceCommand.Init c) {
      out.putString(c.key()).putHostLong(c.increment()).putHostLong(c.min());
      out.putHostLong(c.max()).putHostLong(c.start()).putBoolean(c.cycle());
    } else if (command instanceof SequenceCommand.SetValue c) {
      out.putString(c.key()).putHostLong(c.value()).putBoolean(c.called());
    } else if (command instanceof SequenceCommand.Reset c) {
      out.putString(c.key());
    } else if (command instanceof SequenceCommand.Rename c) {
      out.putString(c.key()).putString(c.newKey());
    } else if (command instanceof SequenceCommand.Alter c) {
      out.putString(c.key()).putHostLong(c.increment()).putHostLong(c.min());
      out.putHostLong(c.max()).putHostLong(c.start()).putHostLong(c.last());
      out.putBoolean(c.cycle()).putBoolean(c.restart());
    } else if (command instanceof SequenceCommand.Close c) {
      out.putString(c.key()).putHostInt(FULL_NAME);
    } else if (command instanceof SequenceCommand.CloseDatabase c) {
      out.putString(c.key()).putHostInt(DATABASE_NAME);
    }
    // What is left asks without a field.
  }

  private static String key(FrameReader in) throws WireException {
    return NameRules.requireKey(in.readString("sequence key", FrameLimits.SEQUENCE_KEY_BYTES_MAX));
  }
}

package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceCommand.Alter;
import io.mgtm.gtm.command.SequenceCommand.Close;
import io.mgtm.gtm.command.SequenceCommand.CloseDatabase;
import io.mgtm.gtm.command.SequenceCommand.Init;
import io.mgtm.gtm.command.SequenceCommand.LastValue;
import io.mgtm.gtm.command.SequenceCommand.NextValue;
import io.mgtm.gtm.command.SequenceCommand.Rename;
import io.mgtm.gtm.command.SequenceCommand.Reset;
import io.mgtm.gtm.command.SequenceCommand.SetValue;
import io.mgtm.gtm.wire.WireException;
import java.util.function.Function;

/** The bodies of sequence commands (gtm_seq.c). */
final class SequenceRequests {
  private static final int FULL_NAME = 0;
  private static final int DATABASE_NAME = 1;

  static final RequestBody<NextValue> NEXT_VALUE = keyed(NextValue::new, NextValue::key);
  static final RequestBody<LastValue> LAST_VALUE = keyed(LastValue::new, LastValue::key);
  static final RequestBody<Reset> RESET = keyed(Reset::new, Reset::key);

  static final RequestBody<Init> INIT =
      new RequestBody<>(
          (in, session, backend) ->
              new Init(
                  key(in),
                  in.readHostLong(),
                  in.readHostLong(),
                  in.readHostLong(),
                  in.readHostLong(),
                  in.readBoolean()),
          (out, c) ->
              out.putString(c.key())
                  .putHostLong(c.increment())
                  .putHostLong(c.min())
                  .putHostLong(c.max())
                  .putHostLong(c.start())
                  .putBoolean(c.cycle()));

  static final RequestBody<SetValue> SET_VALUE =
      new RequestBody<>(
          (in, session, backend) -> new SetValue(key(in), in.readHostLong(), in.readBoolean()),
          (out, c) -> out.putString(c.key()).putHostLong(c.value()).putBoolean(c.called()));

  static final RequestBody<Rename> RENAME =
      new RequestBody<>(
          (in, session, backend) -> new Rename(key(in), key(in)),
          (out, c) -> out.putString(c.key()).putString(c.newKey()));

  static final RequestBody<Alter> ALTER =
      new RequestBody<>(
          (in, session, backend) ->
              new Alter(
                  key(in),
                  in.readHostLong(),
                  in.readHostLong(),
                  in.readHostLong(),
                  in.readHostLong(),
                  in.readHostLong(),
                  in.readBoolean(),
                  in.readBoolean()),
          (out, c) ->
              out.putString(c.key())
                  .putHostLong(c.increment())
                  .putHostLong(c.min())
                  .putHostLong(c.max())
                  .putHostLong(c.start())
                  .putHostLong(c.last())
                  .putBoolean(c.cycle())
                  .putBoolean(c.restart()));

  static final RequestBody<SequenceCommand> CLOSE =
      new RequestBody<>((in, session, backend) -> close(in), SequenceRequests::close);

  private SequenceRequests() {}

  /** The body of a command that has a key and nothing else. */
  private static <C extends SequenceCommand> RequestBody<C> keyed(
      Function<String, C> of, Function<C, String> key) {
    return new RequestBody<>(
        (in, session, backend) -> of.apply(key(in)), (out, c) -> out.putString(key.apply(c)));
  }

  private static SequenceCommand close(FrameReader in) throws WireException {
    String key = key(in);
    int keyType = in.readHostInt();
    return switch (keyType) {
      case FULL_NAME -> new Close(key);
      case DATABASE_NAME -> new CloseDatabase(key);
      default -> throw new WireException("unknown sequence key type " + keyType);
    };
  }

  private static void close(FrameWriter out, SequenceCommand command) {
    if (command instanceof CloseDatabase c) {
      out.putString(c.key()).putHostInt(DATABASE_NAME);
    } else {
      out.putString(((Close) command).key()).putHostInt(FULL_NAME);
    }
  }

  private static String key(FrameReader in) throws WireException {
    return NameRules.requireKey(in.readString("sequence key", FrameLimits.SEQUENCE_KEY_BYTES_MAX));
  }
}

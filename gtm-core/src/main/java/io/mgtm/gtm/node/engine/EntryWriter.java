package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.Effect;
import java.nio.ByteBuffer;

/**
 * Collects the commands of one log entry: {@code version:u8 time:i64 command…}, the time in µs
 * since 2000-01-01, the commands as {@link CommandCodec} writes them. Owner thread.
 */
public final class EntryWriter {
  /** The version that this program writes. */
  public static final byte VERSION = 1;

  /** Version and time. */
  public static final int HEADER_BYTES = 1 + Long.BYTES;

  /** The most that one entry takes. */
  public static final int ENTRY_BYTES_MAX = 256 * 1024;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(ENTRY_BYTES_MAX);
  private Effect effect = Effect.NONE;

  public void begin(long nowMicros) {
    buffer.clear();
    buffer.put(VERSION).putLong(nowMicros);
    effect = Effect.NONE;
  }

  /** Whether {@code bytes} more fit. */
  boolean fits(int bytes) {
    return buffer.remaining() >= bytes;
  }

  /** Adds a command that had an effect. */
  public void add(Command command, Effect commandEffect) {
    CommandCodec.encodeLogged(command, buffer);
    effect = effect.and(commandEffect);
  }

  /** The strongest effect of the commands; NONE when there is none to log. */
  Effect effect() {
    return effect;
  }

  /** The entry, from position to limit. */
  public ByteBuffer finish() {
    return buffer.flip();
  }
}

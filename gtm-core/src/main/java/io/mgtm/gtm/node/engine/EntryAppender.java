package io.mgtm.gtm.node.engine;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Reply;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Applies commands and collects those with an effect into entries: a full entry is appended, and
 * another begun, in between. Owner thread.
 */
public final class EntryAppender {
  /** The most that one command takes in an entry; a link's frame of one command may be longer. */
  public static final int COMMAND_BYTES_MAX = 96 * 1024;

  private final GtmStateMachine machine;
  private final ReplicatedLog log;
  private final LongSupplier clockMicros;
  private final EntryWriter entry = new EntryWriter();

  private final LeaderMode mode;

  private boolean room;

  /**
   * One that has begun no entry.
   *
   * @param mode says with which effect a command is stored, and is told of each entry
   */
  EntryAppender(
      GtmStateMachine machine, ReplicatedLog log, LongSupplier clockMicros, LeaderMode mode) {
    this.machine = machine;
    this.log = log;
    this.clockMicros = clockMicros;
    this.mode = mode;
  }

  /** Begins an entry, at a time not before that of any other. */
  void begin() {
    long micros = nowMicros();
    machine.state().beginEntry(micros);
    entry.begin(micros);
    room = log.hasRoom(EntryWriter.ENTRY_BYTES_MAX);
  }

  /** The time, never before that of the newest change. */
  long nowMicros() {
    return Math.max(clockMicros.getAsLong(), machine.state().changedMicros());
  }

  /** Whether the log has room: a command that may have an effect must not be applied otherwise. */
  boolean hasRoom() {
    if (!entry.fits(COMMAND_BYTES_MAX)) {
      finish();
      begin();
    }
    return room;
  }

  /** Applies one command, after {@link #hasRoom} has said yes. */
  Reply apply(Command command) {
    if (!hasRoom()) {
      throw new IllegalStateException("a command is applied for which the log has no room");
    }
    Reply reply = machine.state().apply(command);
    Effect effect = machine.state().effect();
    if (effect != Effect.NONE) {
      entry.add(command, mode.effect(command, effect));
    }
    return reply;
  }

  /** Appends the entry, if there is anything in it. */
  void finish() {
    if (entry.effect() != Effect.NONE) {
      Effect effect = entry.effect();
      ByteBuffer bytes = entry.finish();
      long index = log.append(bytes, Engine.durability(effect));
      boolean counts = machine.state().entryDone();
      if (counts) {
        mode.appended(index, bytes);
      }
      entry.begin(machine.state().changedMicros());
    }
  }
}

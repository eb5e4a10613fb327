package io.mgtm.gtm.server;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.StateMachine;
import io.mgtm.gtm.command.CommandDecoder;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** The GTM's state as what the log's entries mean. Owner thread. */
final class GtmStateMachine implements StateMachine {
  private GtmState state;

  GtmStateMachine(GtmState initial) {
    this.state = initial;
  }

  GtmState state() {
    return state;
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    try {
      byte version = payload.get();
      if (version != EntryWriter.VERSION) {
        throw newer("entry " + index + " has format version " + version, null);
      }
      state.beginEntry(payload.getLong());
      while (payload.hasRemaining()) {
        state.apply(CommandDecoder.decode(payload));
      }
    } catch (CommandDecoder.UnknownCommandException e) {
      throw newer("entry " + index + ": " + e.getMessage(), e);
    } catch (BufferUnderflowException e) {
      throw damaged("entry " + index + " of the log ends within a command", e);
    }
  }

  @Override
  public byte[] checkpoint() {
    return CheckpointEncoder.encode(state);
  }

  @Override
  public void restore(ByteBuffer checkpoint) {
    try {
      state = CheckpointDecoder.decode(checkpoint);
    } catch (CheckpointDecoder.UnknownVersionException e) {
      throw newer(e.getMessage(), e);
    } catch (CheckpointDecoder.CorruptCheckpointException e) {
      throw damaged(e.getMessage(), e);
    }
  }

  private static LogException damaged(String what, Throwable cause) {
    return new LogException(
        Category.CORRUPT,
        what + "; restore the data folder from a backup or from another member",
        cause);
  }

  private static LogException newer(String what, Throwable cause) {
    return new LogException(
        Category.FORMAT,
        "the log was written by a newer mgtm (" + what + "); start that version on it",
        cause);
  }
}

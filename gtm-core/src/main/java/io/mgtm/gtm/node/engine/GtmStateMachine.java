package io.mgtm.gtm.node.engine;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.group.total.ProposalEntry;
import io.mgtm.group.total.TotalOrder;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.UnknownCommandException;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** The GTM's state as what the log's entries mean. Owner thread. */
public class GtmStateMachine implements StateMachine {
  private final Runnable membersChanged;
  private GtmState state;

  public GtmStateMachine(GtmState initial) {
    this(initial, () -> {});
  }

  /**
   * A machine at a state.
   *
   * @param membersChanged called when an entry tells where a member is
   */
  public GtmStateMachine(GtmState initial, Runnable membersChanged) {
    this.state = initial;
    this.membersChanged = membersChanged;
  }

  public GtmState state() {
    return state;
  }

  /** An entry has told where a member is. */
  public void membersChanged() {
    membersChanged.run();
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    try {
      byte version = payload.get();
      if (version == Restore.ENTRY_VERSION) {
        state = Restore.apply(state, payload.getLong(), payload);
        return;
      }
      if (version == ProposalEntry.VERSION) {
        throw ofModeTotal(null);
      }
      if (version != EntryWriter.VERSION) {
        throw newer("entry " + index + " has format version " + version, null);
      }
      state.beginEntry(payload.getLong());
      while (payload.hasRemaining()) {
        Command command = CommandCodec.decodeLogged(payload);
        state.apply(command);
        if (command.type() == CommandType.ANNOUNCE_MEMBER) {
          membersChanged.run();
        }
      }
      state.entryDone();
    } catch (UnknownCommandException e) {
      throw newer("entry " + index + ": " + e.getMessage(), e);
    } catch (BufferUnderflowException e) {
      throw LogException.damaged("entry " + index + " of the log ends within a command", e);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Nobody's session goes on, and no gxid or value is given that may have been given before;
   * unless clients kept the entries: then the next leader first hears what they know, see {@link
   * LazyLeader}.
   */
  @Override
  public void entriesMayBeMissing(long index, boolean keptByClients) {
    if (keptByClients) {
      state.entriesMayBeMissing();
      return;
    }
    state.beginEntry(state.changedMicros());
    state.apply(new SessionCommand.Restart(false));
  }

  @Override
  public StatePicture picture() {
    GtmState picture = state.picture();
    return pieces -> CheckpointEncoder.write(picture, pieces);
  }

  @Override
  public Runnable load(Pieces encoded) {
    try {
      CheckpointDecoder decoder = new CheckpointDecoder();
      encoded.forEach(decoder::add);
      GtmState loaded = decoder.end();
      return () -> state = loaded;
    } catch (CheckpointDecoder.UnknownVersionException e) {
      // In mode total what it says of proposals comes first.
      throw e.version() >> Byte.SIZE == TotalOrder.CHECKPOINT_VERSION
          ? ofModeTotal(e)
          : newer(e.getMessage(), e);
    } catch (CheckpointDecoder.CorruptCheckpointException e) {
      throw LogException.damaged(e.getMessage(), e);
    }
  }

  private static LogException ofModeTotal(Throwable cause) {
    return new LogException(
        Category.FORMAT,
        "the folder is that of a member of a group in mode total: say --mode total, and the group's --members where a GTM is to start on it",
        cause);
  }

  /** The error of an entry or a state that this version does not know. */
  public static LogException newer(String what, Throwable cause) {
    return new LogException(
        Category.FORMAT,
        "the log was written by a newer mgtm (" + what + "); start that version on it",
        cause);
  }
}

package io.mgtm.gtm.server;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Between begin and end of a backup, a session's lists of transactions and sequences show the
 * moment of its begin. The original stops every other client meanwhile; here the session gets a
 * copy of the state instead. Owner thread.
 */
final class BackupViews {
  /** How many sessions may have one. */
  static final int VIEWS_MAX = 4;

  private final Map<Long, GtmState> bySession = new HashMap<>();

  /** The answer to a command that a view serves or that begins or ends one; null for any other. */
  Reply answer(long session, Command command, GtmState live) {
    if (!command.type().query()) {
      return null;
    }
    if (command instanceof BackupCommand.BeginBackup) {
      if (bySession.size() >= VIEWS_MAX && !bySession.containsKey(session)) {
        return new Reply.Rejected(
            Reply.Reason.BAD_STATE,
            VIEWS_MAX + " backups are being taken already",
            "Wait until one has ended.");
      }
      GtmState copy = CheckpointDecoder.decode(ByteBuffer.wrap(CheckpointEncoder.encode(live)));
      copy.setLimits(live.limits());
      bySession.put(session, copy);
      return null;
    }
    if (command instanceof BackupCommand.EndBackup) {
      bySession.remove(session);
      return null;
    }
    GtmState view = bySession.isEmpty() ? null : bySession.get(session);
    boolean served =
        command instanceof TransactionCommand.GetNextGxid
            || command instanceof TransactionCommand.ListTransactions
            || command instanceof TransactionCommand.ListPrepared
            || command instanceof SequenceCommand.ListAll;
    return view != null && served ? view.apply(command) : null;
  }

  void end(long session) {
    bySession.remove(session);
  }

  void clear() {
    bySession.clear();
  }
}

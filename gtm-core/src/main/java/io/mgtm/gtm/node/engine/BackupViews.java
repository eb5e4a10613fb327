package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.state.GtmState;
import java.util.HashMap;
import java.util.Map;

/**
 * Between begin and end of a backup, a client's lists of transactions and sequences show the moment
 * of its begin. The original stops every other client meanwhile; here the client gets a picture of
 * the state instead. Owner thread.
 */
public final class BackupViews {
  /** How many clients may have one. */
  public static final int VIEWS_MAX = 4;

  /** A client: one of those that share a session, or all of a session of one's own. */
  private record Viewer(long session, short backend) {}

  private final Map<Viewer, GtmState> views = new HashMap<>();

  /** The answer to a command that a view serves or that begins or ends one; null for any other. */
  Reply answer(long session, short backend, Command command, GtmState live) {
    if (!command.type().query()) {
      return null;
    }
    if (command instanceof BackupCommand.BeginBackup) {
      Viewer viewer = new Viewer(session, backend);
      if (views.size() >= VIEWS_MAX && !views.containsKey(viewer)) {
        return new Reply.Rejected(
            Reply.Reason.BAD_STATE,
            VIEWS_MAX + " backups are being taken already",
            "Wait until one has ended.");
      }
      views.put(viewer, live.picture());
      return null;
    }
    if (command instanceof BackupCommand.EndBackup) {
      end(session, backend);
      return null;
    }
    GtmState view = views.isEmpty() ? null : views.get(new Viewer(session, backend));
    boolean served =
        command instanceof TransactionCommand.GetNextGxid
            || command instanceof TransactionCommand.ListTransactions
            || command instanceof TransactionCommand.ListPrepared
            || command instanceof SequenceCommand.ListAll;
    return view != null && served ? view.apply(command) : null;
  }

  /** A session has ended. */
  public void end(long session) {
    views.keySet().removeIf(viewer -> viewer.session() == session);
  }

  /** One client of a session has gone, or wants to see the present again. */
  void end(long session, short backend) {
    views.remove(new Viewer(session, backend));
  }

  void clear() {
    views.clear();
  }
}

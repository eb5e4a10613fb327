package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
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
    Viewer viewer = new Viewer(session, backend);
    return switch (command.type()) {
      case BEGIN_BACKUP -> begin(viewer, live);
      case END_BACKUP -> {
        end(session, backend);
        yield null;
      }
      case GET_NEXT_GXID, LIST_TRANSACTIONS, LIST_PREPARED, LIST_SEQUENCES -> {
        GtmState view = views.get(viewer);
        yield view == null ? null : view.apply(command);
      }
      default -> null;
    };
  }

  private Reply begin(Viewer viewer, GtmState live) {
    if (views.size() >= VIEWS_MAX && !views.containsKey(viewer)) {
      return new Reply.Rejected(
          Reply.Reason.BAD_STATE,
          VIEWS_MAX + " backups are being taken already",
          "Wait until one has ended.");
    }
    views.put(viewer, live.picture());
    return null;
  }

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

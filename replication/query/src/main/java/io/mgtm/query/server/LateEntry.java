package io.mgtm.query.server;

import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives a session a connection to a server that came in after it began, with the settings that it
 * has at the others. Belongs to a session, in which no transaction is open.
 */
final class LateEntry {
  /**
   * A query that sets what the session has set, and the new server knows; none where that is
   * nothing. The role comes last.
   */
  private static final String SETTINGS =
      "SELECT 'SELECT ' || pg_catalog.string_agg(pg_catalog.format("
          + "'pg_catalog.set_config(%%L, %%L, false)', name, setting), ', ' ORDER BY name = 'role',"
          + " name) FROM (SELECT name, setting FROM pg_catalog.pg_settings"
          + " WHERE source = 'session' AND pg_catalog.strpos(name, '.') = 0"
          + " AND NOT name OPERATOR(pg_catalog.~~) 'transaction\\_%%'"
          + " AND pg_catalog.lower(name) <> ALL (%s)"
          + " UNION ALL SELECT n, pg_catalog.current_setting(n, true)"
          + " FROM pg_catalog.unnest(%s) n) s";

  private final ReplicatedSession session;
  private final EntryKey key;

  /** Connections to servers that are about to be in; the session adds, any thread reads. */
  private final Map<Node, ServerConnection> kept = new ConcurrentHashMap<>();

  LateEntry(ReplicatedSession session, EntryKey key) {
    this.session = session;
    this.key = key;
  }

  /**
   * Connects to a server that is about to be in, so that little is left to do when it is.
   *
   * @param tried called when it is done, or cannot be
   */
  void connect(Node node, Runnable tried) {
    if (session.isEnded()) {
      tried.run();
      return;
    }
    connect(node)
        .addListener(
            done -> {
              if (done.isSuccess()) {
                forget(node);
                kept.put(node, (ServerConnection) done.getNow());
              }
              if (session.isEnded()) {
                forget(node);
              }
              tried.run();
            });
  }

  /** The number of a backend that waits for a server to be in. */
  Optional<Integer> pidAt(Node node) {
    return Optional.ofNullable(kept.get(node)).map(ServerConnection::pid);
  }

  /** A server does not come in. */
  void forget(Node node) {
    ServerConnection old = kept.remove(node);
    if (old != null) {
      old.releaseGreeting();
      old.channel().close();
    }
  }

  void forgetAll() {
    List.copyOf(kept.keySet()).forEach(this::forget);
  }

  /**
   * Enters a server that came back since the session began.
   *
   * @param then called when it is done, or the server is out again; the session ends when it cannot
   */
  void enterMissing(Runnable then) {
    List<Backend> live = session.set().live();
    Node missing = session.set().missing();
    if (live.isEmpty() || missing == null) {
      session.failover().stale();
    } else {
      enter(missing, live.get(0), then);
    }
  }

  private void enter(Node node, Backend like, Runnable then) {
    ServerConnection waits = kept.get(node);
    if (waits != null && waits.channel().isActive()) {
      kept.remove(node);
      entered(node, waits, like, then);
      return;
    }
    forget(node);
    connect(node)
        .addListener(
            done -> {
              if (done.isSuccess()) {
                entered(node, (ServerConnection) done.getNow(), like, then);
              } else {
                notEntered(node, LoginException.fieldsOf(done.cause()), then);
              }
            });
  }

  private Promise<ServerConnection> connect(Node node) {
    return key.enter(node, session.shared().door(), session.loop());
  }

  private void notEntered(Node node, ErrorFields why, Runnable then) {
    session
        .shared()
        .fleet()
        .suspect(node)
        .thenAccept(
            out ->
                session.execute(
                    () -> {
                      if (out) {
                        then.run();
                      } else {
                        session.end(why);
                      }
                    }));
  }

  private void entered(Node node, ServerConnection connection, Backend like, Runnable then) {
    connection.releaseGreeting();
    if (session.isEnded()) {
      connection.channel().close();
      return;
    }
    Backend backend = session.add(node, connection);
    like.hold(true);
    Set<String> lacks = new TreeSet<>(like.node().kind().settings());
    lacks.removeAll(node.kind().settings());
    String settings = SETTINGS.formatted(RedoCodec.array(lacks), session.settings().customNames());
    like.ask(settings, Answer.row((row, error) -> set(backend, row, error, then), then));
  }

  private void set(Backend backend, List<String> row, ErrorFields error, Runnable then) {
    if (error != null) {
      session.end(ErrorFields.fatal(error.sqlState(), error.message()));
    } else if (row.isEmpty() || row.get(0) == null) {
      then.run();
    } else {
      backend.ask(
          row.get(0),
          Answer.of(
              (tag, refused, status) -> {
                if (refused == null) {
                  then.run();
                } else {
                  session.end(ErrorFields.fatal(refused.sqlState(), refused.message()));
                }
              },
              then));
    }
  }
}

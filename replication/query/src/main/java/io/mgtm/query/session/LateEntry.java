package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Promise;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

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
  private final Map<Node, Coming> kept = new ConcurrentHashMap<>();

  /** One of them. */
  private static final class Coming {
    private final Backend backend;
    private boolean made;

    /** What was asked there to make its settings the session's; empty where that is nothing. */
    private String settings = "";

    Coming(Backend backend) {
      this.backend = backend;
    }
  }

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
                keep(node, (ServerConnection) done.getNow());
              }
              if (session.isEnded()) {
                forget(node);
              }
              tried.run();
            });
  }

  private Coming keep(Node node, ServerConnection connection) {
    forget(node);
    connection.releaseGreeting();
    Coming one = new Coming(Backend.over(connection, node, session));
    kept.put(node, one);
    return one;
  }

  /** The number of a backend that waits for a server to be in. */
  Optional<Integer> pidAt(Node node) {
    return Optional.ofNullable(kept.get(node)).map(one -> one.backend.connection().pid());
  }

  /** A server does not come in. */
  void forget(Node node) {
    Coming old = kept.remove(node);
    if (old != null) {
      old.backend.fail();
    }
  }

  void forgetAll() {
    List.copyOf(kept.keySet()).forEach(this::forget);
  }

  /**
   * Enters a server that is in since the session began, or makes a connection ready to one that is
   * about to be.
   *
   * @param then called when it is done, or the server is out again; the session ends when it cannot
   * @return whether there is anything to do; else {@code then} is not called
   */
  boolean enters(Runnable then) {
    Node missing = session.set().missing();
    Coming raw = missing == null ? raw() : null;
    if (missing == null && raw == null) {
      return false;
    }
    List<Backend> live = session.set().live();
    if (live.isEmpty()) {
      session.failover().stale();
    } else if (raw == null) {
      enter(missing, live.get(0), then);
    } else {
      raw.made = true;
      askSettings(raw, live.get(0), then, settings -> make(raw, settings, then));
    }
    return true;
  }

  private Coming raw() {
    for (Coming one : kept.values()) {
      if (!one.made && !one.backend.isGone()) {
        return one;
      }
    }
    return null;
  }

  private void enter(Node node, Backend like, Runnable then) {
    Coming waits = kept.get(node);
    if (waits != null && waits.backend.channel().isActive()) {
      entered(waits, like, then);
      return;
    }
    forget(node);
    connect(node)
        .addListener(
            done -> {
              if (done.isSuccess()) {
                entered(keep(node, (ServerConnection) done.getNow()), like, then);
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

  private void entered(Coming one, Backend like, Runnable then) {
    if (session.isEnded()) {
      forget(one.backend.node());
      return;
    }
    askSettings(one, like, then, settings -> enter(one, settings, like, then));
  }

  /** Asks a server for a query that sets what it has of the session, or nothing. */
  private void askSettings(Coming one, Backend like, Runnable lost, Consumer<String> then) {
    like.hold(true);
    Set<String> lacks = new TreeSet<>(like.node().kind().settings());
    lacks.removeAll(one.backend.node().kind().settings());
    String settings = SETTINGS.formatted(RedoCodec.array(lacks), session.settings().customNames());
    like.ask(
        settings,
        Answer.row(
            (row, error) -> {
              if (error != null && session.set().missing() == null) {
                forget(one.backend.node()); // It is not in, and the session asks again then.
                lost.run();
              } else if (error != null) {
                session.end(ErrorFields.fatal(error.sqlState(), error.message()));
              } else {
                then.accept(row.isEmpty() || row.get(0) == null ? "" : row.get(0));
              }
            },
            lost));
  }

  /** The session goes on meanwhile. */
  private void make(Coming one, String settings, Runnable then) {
    Node node = one.backend.node();
    if (kept.get(node) == one) {
      set(one, settings, () -> {});
      // What is done there for the first time takes longer, so it is done and undone.
      String note = PositionTable.noteSql(session.slot().number(), 0, 0, node.fence());
      for (String sql : List.of(ServerSet.BEGIN_EFFECTS + "; " + note, "ROLLBACK")) {
        one.backend.ask(sql, Answer.of((tag, error, status) -> {}, () -> {}));
      }
    }
    then.run();
  }

  private void enter(Coming one, String settings, Backend like, Runnable then) {
    Node node = one.backend.node();
    if (!one.made || one.settings.equals(settings)) {
      kept.remove(node, one);
      session.set().add(one.backend);
      if (one.made) {
        then.run();
      } else {
        set(one, settings, then);
      }
    } else {
      // There is no way back from what was set before.
      forget(node);
      enter(node, like, then);
    }
  }

  private void set(Coming one, String settings, Runnable then) {
    one.settings = settings;
    if (settings.isEmpty()) {
      then.run();
      return;
    }
    one.backend.ask(
        settings,
        Answer.of(
            (tag, refused, status) -> {
              if (refused == null) {
                then.run();
              } else if (kept.get(one.backend.node()) == one) {
                forget(one.backend.node());
              } else {
                session.end(ErrorFields.fatal(refused.sqlState(), refused.message()));
              }
            },
            then));
  }
}

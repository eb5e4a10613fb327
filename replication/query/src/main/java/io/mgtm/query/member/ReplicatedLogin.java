package io.mgtm.query.member;

import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.ServerConnection;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.Slots;
import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.session.EntryKey;
import io.mgtm.query.session.ReplicatedSession;
import io.mgtm.query.session.RequiredSettings;
import io.mgtm.query.session.Shared;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.wire.ErrorFields;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Enters all servers that are in for one client. Belongs to the client's loop. */
final class ReplicatedLogin {
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final Shared shared;
  private final Channel client;
  private final Map<String, String> parameters;
  private final Supplier<ScramClient> proof;
  private final Consumer<ErrorFields> refused;
  private final Map<Node, ServerConnection> entered = new HashMap<>();
  private final List<Promise<ServerConnection>> entering = new ArrayList<>();
  private EntryKey key;
  private Catalogues.Known known;
  private int left;
  private Slots.Slot slot;
  private boolean over;

  ReplicatedLogin(
      Shared shared,
      Channel client,
      Map<String, String> parameters,
      Supplier<ScramClient> proof,
      Consumer<ErrorFields> refused) {
    this.shared = shared;
    this.client = client;
    this.parameters = new LinkedHashMap<>(parameters);
    this.proof = proof;
    this.refused = refused;
  }

  /** Begins; {@code ready} is called when all servers let the client in. */
  void enter(Runnable ready) {
    ErrorFields wrong = RequiredSettings.fix(parameters);
    if (wrong != null) {
      fail(wrong);
      return;
    }
    key = new EntryKey(parameters, proof);
    List<Node> nodes = shared.fleet().in();
    left = nodes.size() + 1;
    String database = parameters.get("database");
    shared
        .positions()
        .prepared(database)
        .thenCompose(prepared -> shared.catalogues().of(database))
        .whenComplete(
            (got, cause) ->
                client
                    .eventLoop()
                    .execute(
                        () -> {
                          known = got;
                          if (cause == null) {
                            one(ready);
                          } else {
                            fail(whyNotServed(LoginException.fieldsOf(cause)));
                          }
                        }));
    for (Node node : nodes) {
      Promise<ServerConnection> promise = key.enter(node, shared.door(), client.eventLoop());
      entering.add(promise);
      promise.addListener(
          done -> {
            if (done.isSuccess()) {
              entered.put(node, (ServerConnection) done.getNow());
              one(ready);
            } else if (!done.isCancelled()) {
              notEntered(node, done.cause(), ready);
            }
          });
    }
  }

  /** What the own role was told of the client's database. */
  private ErrorFields whyNotServed(ErrorFields told) {
    return told.sqlState().equals(INSUFFICIENT_PRIVILEGE)
        ? told.withHint(
            "GRANT CREATE ON DATABASE %s TO %s, at every server; or name another database."
                .formatted(Quoting.name(parameters.get("database")), shared.config().role().user()))
        : told;
  }

  private void notEntered(Node node, Throwable cause, Runnable ready) {
    shared
        .fleet()
        .suspect(node)
        .thenAccept(
            out ->
                client
                    .eventLoop()
                    .execute(
                        () -> {
                          if (out) {
                            one(ready);
                          } else {
                            fail(LoginException.fieldsOf(cause));
                          }
                        }));
  }

  private void one(Runnable ready) {
    left--;
    if (over) {
      close();
    } else if (left == 0) {
      ErrorFields wrong = check();
      if (wrong == null) {
        slot = shared.slots().take();
        wrong = slot == null ? ErrorFields.fatal("53300", "too many sessions") : null;
      }
      if (wrong == null) {
        over = true;
        ready.run();
      } else {
        fail(wrong);
      }
    }
  }

  /** The session, once all servers are entered. */
  ReplicatedSession session(int pid) {
    return new ReplicatedSession(
        pid,
        slot,
        client,
        shared,
        key,
        known,
        RequiredSettings.charset(setting("client_encoding")));
  }

  Map<Node, ServerConnection> entered() {
    return entered;
  }

  private ErrorFields check() {
    if (!entered.containsKey(shared.fleet().leader())) {
      return ErrorFields.fatal("57P03", "the leader changed meanwhile").withHint("Connect again.");
    }
    return RequiredSettings.refused(entered, shared.fleet().leader());
  }

  private String setting(String wanted) {
    return entered.get(shared.fleet().leader()).setting(wanted);
  }

  private void fail(ErrorFields why) {
    if (!over) {
      close();
      refused.accept(why);
    }
  }

  /** The client no longer waits. */
  void close() {
    over = true;
    entering.forEach(promise -> promise.cancel(false));
    entered
        .values()
        .forEach(
            connection -> {
              connection.releaseGreeting();
              connection.channel().close();
            });
    entered.clear();
  }
}

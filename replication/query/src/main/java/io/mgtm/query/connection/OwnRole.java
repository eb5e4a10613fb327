package io.mgtm.query.connection;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.wire.FrameSplitter;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Enters servers as the replicator's own role, whose work no timeout of the server's configuration
 * ends. Any thread.
 */
public final class OwnRole {
  /** How the names of the replicators' own connections begin. */
  public static final String APPLICATION = "mgtm query";

  /** What PostgreSQL keeps of a name. */
  private static final int NAME_MAX = 63;

  private final QueryConfig config;
  private final EventLoop loop;
  private final ServerDoor door;
  private final Supplier<ScramClient> scram;
  private final String application;

  /**
   * A role that has not entered.
   *
   * @param of what its connections are named by beside others of replicators, or empty
   */
  public OwnRole(QueryConfig config, EventLoop loop, ServerDoor door, String of) {
    String all = of.isEmpty() ? APPLICATION : APPLICATION + " " + of;
    this.application = all.substring(0, Math.min(NAME_MAX, all.length()));
    this.config = config;
    this.loop = loop;
    this.door = door;
    this.scram = door.own();
  }

  /** Enters a database; fails with a {@link LoginException}. */
  public CompletableFuture<Asker> enter(HostPort server, String database) {
    return connect(server, database).thenApply(Asker::new);
  }

  /** The same, for who sends other than queries; on the loop of this role. */
  public CompletableFuture<ServerConnection> connect(HostPort server, String database) {
    CompletableFuture<ServerConnection> entered = new CompletableFuture<>();
    Map<String, String> parameters =
        Map.of(
            "user",
            config.role().user(),
            "database",
            database,
            "application_name",
            application,
            "client_encoding",
            "UTF8",
            "options",
            "-c search_path=pg_catalog -c jit=off -c extra_float_digits=1 -c array_nulls=on"
                + " -c row_security=off -c xmloption=content -c standard_conforming_strings=on"
                + " -c default_transaction_isolation=read\\ committed -c statement_timeout=0"
                + " -c lock_timeout=0 -c idle_in_transaction_session_timeout=0"
                + " -c idle_session_timeout=0");
    door.enterSoon(loop, server, FrameSplitter.Sender.SERVER_HELD, parameters, scram)
        .addListener(
            done -> {
              if (done.isSuccess()) {
                entered.complete((ServerConnection) done.getNow());
              } else {
                entered.completeExceptionally(done.cause());
              }
            });
    return entered;
  }

  /** Connects to a database, asks there, and disconnects. */
  public <T> CompletableFuture<T> use(
      HostPort server, String database, Function<Asker, CompletableFuture<T>> questions) {
    return enter(server, database)
        .thenCompose(asker -> questions.apply(asker).whenComplete((done, cause) -> asker.close()));
  }

  /** One query in a connection of its own. */
  public CompletableFuture<List<List<String>>> ask(HostPort server, String database, String sql) {
    return use(server, database, asker -> asker.ask(sql));
  }

  /** The loop that all its connections belong to. */
  public EventLoop loop() {
    return loop;
  }

  /** The application_name of its connections. */
  public String application() {
    return application;
  }

  /** The database that it enters for what is not about another one. */
  public String database() {
    return config.role().database();
  }
}

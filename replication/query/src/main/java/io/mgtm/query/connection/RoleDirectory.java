package io.mgtm.query.connection;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.scram.ScramVerifier;
import io.mgtm.query.wire.ErrorFields;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Looks up the verifiers of roles' passwords at a server, each time anew, so that a password that
 * is changed there holds at once. Its one connection, made when it is needed, belongs to the loop
 * of the replicator's own role, as all of it does; {@link #find} may be called by any thread.
 */
public final class RoleDirectory {
  /** Lookups that wait for their answer; one more is refused. */
  private static final int WAITING_MAX = 1_024;

  private static final String SQL =
      "SELECT rolpassword FROM pg_catalog.pg_authid WHERE rolname = $1 AND rolcanlogin"
          + " AND (rolvaliduntil IS NULL OR rolvaliduntil > pg_catalog.now())";

  private final QueryConfig config;
  private final OwnRole role;
  private final Supplier<HostPort> server;

  /** The server that is asked, and the connection to it; null before the first lookup. */
  private HostPort at;

  private CompletableFuture<Asker> asker;
  private int waiting;
  private boolean closed;

  /**
   * A directory that is not connected yet.
   *
   * @param server which to ask
   */
  public RoleDirectory(QueryConfig config, OwnRole role, Supplier<HostPort> server) {
    this.config = config;
    this.role = role;
    this.server = server;
  }

  /**
   * The verifier of a role that may log in, or empty when there is none; completes on the
   * directory's loop, exceptionally with a {@link LoginException} when the server cannot be asked.
   */
  public CompletableFuture<Optional<ScramVerifier>> find(String user) {
    CompletableFuture<Optional<ScramVerifier>> found = new CompletableFuture<>();
    role.loop().execute(() -> begin(user, found));
    return found;
  }

  private void begin(String user, CompletableFuture<Optional<ScramVerifier>> found) {
    if (closed || waiting >= WAITING_MAX) {
      found.completeExceptionally(failure("53300", "too many clients log in at once"));
      return;
    }
    waiting++;
    CompletableFuture<Asker> asked = asker();
    Future<?> late =
        role.loop()
            .schedule(
                () -> asked.thenAccept(Asker::close),
                config.timeouts().connectMs(),
                TimeUnit.MILLISECONDS);
    asked
        .thenCompose(own -> own.ask(SQL, List.of(user)))
        .whenComplete(
            (rows, cause) -> {
              waiting--;
              late.cancel(false);
              if (cause == null) {
                found.complete(verifier(rows));
              } else {
                found.completeExceptionally(why(cause));
              }
            });
  }

  private static Optional<ScramVerifier> verifier(List<List<String>> rows) {
    return rows.stream().findFirst().map(row -> row.get(0)).flatMap(ScramVerifier::parse);
  }

  /** Returns the connection to the current server, opening it if necessary. */
  private CompletableFuture<Asker> asker() {
    HostPort now = server.get();
    if (!now.equals(at) || asker.isCompletedExceptionally() || isGone()) {
      drop();
      at = now;
      asker = role.enter(now, role.database());
    }
    return asker;
  }

  private boolean isGone() {
    return asker.isDone() && asker.join().isGone();
  }

  /** Closes the connection; lookups that wait on it fail. */
  private void drop() {
    if (asker != null) {
      asker.thenAccept(Asker::close);
    }
  }

  private LoginException why(Throwable cause) {
    if (closed) {
      return failure("57P01", "the replicator stops");
    }
    ErrorFields fields = LoginException.fieldsOf(cause);
    return failure(
        fields.sqlState(),
        "the role %s cannot look up passwords: %s"
            .formatted(config.role().user(), fields.message()));
  }

  private static LoginException failure(String sqlState, String message) {
    return new LoginException(ErrorFields.fatal(sqlState, message));
  }

  /** Takes no lookups any more. Any thread. */
  public void close() {
    role.loop()
        .execute(
            () -> {
              closed = true;
              drop();
            });
  }
}

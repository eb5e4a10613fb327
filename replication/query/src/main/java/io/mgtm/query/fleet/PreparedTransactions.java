package io.mgtm.query.fleet;

import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.order.Position;
import io.mgtm.query.sql.Quoting;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * The {@link PreparedTransaction}s of a database, as its server has them. Who takes a server over
 * rolls back all that are left: what is decided stands in the log with its rows, and is given to it
 * as to the others. The table of tokens is read after that. Any thread.
 */
final class PreparedTransactions {
  static final String FIND =
      "SELECT gid, owner FROM pg_prepared_xacts p WHERE database = current_database() AND ";

  static final String EXISTS =
      "SELECT to_regprocedure('mgtm.mgtm_prepares(uuid, name, int)') IS NOT NULL";

  /** Only who becomes a role can end what it has prepared. */
  static final List<String> CREATE =
      List.of(
          "CREATE TABLE IF NOT EXISTS mgtm.prepared (token uuid PRIMARY KEY)",
          "DROP FUNCTION IF EXISTS mgtm.mgtm_prepares(uuid, name)",
          """
          CREATE OR REPLACE FUNCTION mgtm.mgtm_prepares(of_token uuid, of_role name, of_fence int)
          RETURNS void
          LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
            PERFORM pg_advisory_xact_lock_shared(%d, of_fence);
            IF NOT pg_has_role(of_role,
                CASE WHEN current_setting('server_version_num')::int < 160000
                THEN 'MEMBER' ELSE 'SET' END) THEN
              RAISE EXCEPTION USING ERRCODE = '0A000',
                MESSAGE = format('nothing is prepared for the role %%I', of_role),
                HINT = format('GRANT %%I TO %%I, which must be able to end its transactions.',
                  of_role, current_user);
            END IF;
            IF of_token IS NOT NULL THEN INSERT INTO mgtm.prepared VALUES (of_token); END IF;
          END $$"""
              .formatted(PreparedTransaction.LOCKS),
          """
          CREATE OR REPLACE FUNCTION mgtm.mgtm_finishes(of_token uuid, of_slot int, of_entry bigint,
              all_to bigint, of_fence bigint) RETURNS void
          LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ BEGIN
            DELETE FROM mgtm.prepared WHERE token = of_token;
            IF NOT FOUND THEN RAISE EXCEPTION 'transaction % is not committed', of_token; END IF;
            PERFORM mgtm.mgtm_commits(of_slot, of_entry, all_to, of_fence);
          END $$""");

  private static final int TRIES = 5;
  private static final String COMMITTED = "SELECT token FROM mgtm.prepared";

  private PreparedTransactions() {}

  /** Those of replicators that do not have this fence; 0 for all. */
  static CompletableFuture<Void> rollBackOthers(Asker asker, long fence) {
    return rollBack(asker, FIND + PreparedTransaction.others(fence), TRIES);
  }

  static CompletableFuture<Void> rollBack(Asker asker, PreparedTransaction one) {
    return rollBack(asker, one.findSql(), TRIES);
  }

  /** What fails may just be ended by the session that has prepared it: it is looked again. */
  private static CompletableFuture<Void> rollBack(Asker asker, String find, int tries) {
    CompletableFuture<Void> once = end(asker, find, gid -> "ROLLBACK PREPARED " + gid);
    return tries == 1
        ? once
        : once.handle((done, cause) -> cause)
            .thenCompose(
                cause ->
                    cause == null
                        ? once
                        : asker
                            .ask("RESET ROLE; SELECT pg_sleep(0.1)")
                            .thenCompose(done -> rollBack(asker, find, tries - 1)));
  }

  private static CompletableFuture<Void> end(
      Asker asker, String find, Function<String, String> end) {
    return asker
        .ask(find)
        .thenCompose(rows -> Futures.inTurn(rows, row -> end(asker, row, end)))
        .thenApply(done -> null);
  }

  private static CompletableFuture<List<List<String>>> end(
      Asker asker, List<String> row, Function<String, String> end) {
    String gid = row.get(0);
    String owner = row.get(1);
    String sql = end.apply(Quoting.literal(gid));
    if (owner == null) {
      String dropped = "its role was dropped, a superuser must end it there";
      return asker.ask(sql).exceptionally(cause -> isNotMine(gid, cause, dropped));
    }
    String grant = "GRANT " + owner + " TO this replicator's role";
    return asker
        .ask("SET ROLE " + Quoting.name(owner))
        .exceptionally(cause -> isNotMine(gid, cause, grant))
        .thenCompose(done -> asker.ask(sql))
        .thenCompose(done -> asker.ask("RESET ROLE"));
  }

  private static List<List<String>> isNotMine(String gid, Throwable cause, String hint) {
    String why =
        "'%s' is prepared there, and is not mine to end (%s): %s"
            .formatted(gid, Futures.reason(cause), hint);
    throw new CompletionException(new IOException(why, cause));
  }

  /** Whether they have committed is noted by now, where this fence holds. */
  static String forgetSql(long fence) {
    return "DELETE FROM mgtm.prepared WHERE EXISTS (SELECT FROM mgtm.position WHERE fence = "
        + fence
        + ")";
  }

  /** Adds those that have committed to a position that was read before. */
  static CompletableFuture<Position> addCommitted(Asker asker, Position to) {
    return asker
        .ask(COMMITTED)
        .thenApply(
            rows -> {
              rows.forEach(row -> to.committed(UUID.fromString(row.get(0))));
              return to;
            });
  }

  /**
   * Commits one, if that has not happened, and notes its entry, if its session has not.
   *
   * @return whether it has committed
   */
  static CompletableFuture<Boolean> finish(
      Asker asker, PreparedTransaction one, int slot, long number, long settled) {
    String noted =
        "SELECT FROM mgtm.position WHERE slot = %d AND entry >= %d".formatted(slot, number);
    return end(asker, one.findSql(), gid -> "COMMIT PREPARED " + gid)
        .thenCompose(done -> asker.ask(COMMITTED + " WHERE token = '" + one.token() + "'"))
        .thenCompose(
            committed ->
                committed.isEmpty()
                    ? asker.ask(noted).thenApply(rows -> !rows.isEmpty())
                    : asker.ask(one.noteSql(slot, number, settled)).thenApply(done -> true));
  }
}

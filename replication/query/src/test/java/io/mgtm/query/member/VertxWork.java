package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Cursor;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Pools of the PostgreSQL client of Vert.x: one as usual, and one that pipelines. */
final class VertxWork implements AutoCloseable {
  private static final int TRANSACTIONS = 20;
  private static final int BATCH = 10;
  private static final int IN_ONE_GO = 1_000;

  /** Each of this many fails. */
  private static final int FAILING = 100;

  static final int KEPT = TRANSACTIONS * BATCH + IN_ONE_GO - IN_ONE_GO / FAILING;
  static final int MADE = TRANSACTIONS;

  private static final String INSERT = "insert into kept (client, id, n) values ('vertx', $1, $2)";

  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions options;

  VertxWork(Cluster cluster) {
    options =
        new PgConnectOptions()
            .setHost(cluster.address().host())
            .setPort(cluster.address().port())
            .setDatabase("app")
            .setUser("alice")
            .setPassword(Postgres.PASSWORD)
            .setCachePreparedStatements(true)
            .setPreparedStatementCacheMaxSize(4)
            .setPipeliningLimit(256);
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(180, TimeUnit.SECONDS);
  }

  void writeInTransactions() throws Exception {
    Pool pool =
        PgBuilder.pool()
            .with(new PoolOptions().setMaxSize(3))
            .connectingTo(options)
            .using(vertx)
            .build();
    await(
        Future.join(
            IntStream.range(0, TRANSACTIONS)
                .mapToObj(i -> pool.withConnection(session -> written(session, i * 100)))
                .toList()));
    Future<Void> undone =
        pool.withTransaction(
            session ->
                session
                    .preparedQuery("delete from kept where client = 'vertx'")
                    .execute()
                    .compose(deleted -> session.query("select 1 / 0").execute().mapEmpty()));
    assertThat(await(sqlState(undone))).isEqualTo("22012");
    await(pool.close());
  }

  /** Not by withTransaction, which rolls all back by itself when one statement fails. */
  private static Future<Void> written(SqlConnection session, int first) {
    List<Tuple> rows = IntStream.range(0, BATCH).mapToObj(i -> Tuple.of(first + i, i)).toList();
    return session
        .query("begin isolation level repeatable read")
        .execute()
        .compose(begun -> session.preparedQuery(INSERT).executeBatch(rows))
        .compose(inserted -> session.query("savepoint before").execute())
        .compose(done -> sqlState(session.preparedQuery(INSERT).execute(Tuple.of(first, 1))))
        .compose(
            state -> {
              assertThat(state).isEqualTo("23505");
              return session.query("rollback to savepoint before").execute();
            })
        .compose(
            back ->
                session
                    .preparedQuery(
                        "insert into made (client, name, tags) values ('vertx', $1, $2) returning id")
                    .execute(Tuple.of("row " + first, (Object) new String[] {"a", "b"})))
        .compose(
            made -> {
              assertThat(made.iterator().next().getInteger("id")).isPositive();
              return session.prepare(
                  "select n from kept where client = 'vertx' and id between $1 and $2 order by id");
            })
        .compose(
            prepared -> {
              Cursor cursor = prepared.cursor(Tuple.of(first, first + BATCH - 1));
              return cursor
                  .read(BATCH - 1)
                  .compose(
                      part -> {
                        assertThat(part.size()).isEqualTo(BATCH - 1);
                        return cursor.read(BATCH);
                      })
                  .compose(
                      rest -> {
                        assertThat(rest.size()).isEqualTo(1);
                        return cursor.close();
                      })
                  .compose(closed -> prepared.close());
            })
        .compose(closed -> session.query("commit").execute().mapEmpty());
  }

  /** That of its error, or "none". */
  private static Future<String> sqlState(Future<?> statement) {
    return statement.transform(
        result ->
            Future.succeededFuture(
                result.cause() instanceof PgException e ? e.getSqlState() : "none"));
  }

  void writeInOneGo() throws Exception {
    SqlClient client =
        PgBuilder.client()
            .with(new PoolOptions().setMaxSize(2))
            .connectingTo(options)
            .using(vertx)
            .build();
    List<Future<String>> writes = new ArrayList<>();
    List<Future<RowSet<Row>>> reads = new ArrayList<>();
    for (int i = 0; i < IN_ONE_GO; i++) {
      int n = i % FAILING == 0 ? 1_000 : 1;
      writes.add(sqlState(client.preparedQuery(INSERT).execute(Tuple.of(100_000 + i, n))));
      if (i % 10 == 0) {
        reads.add(client.preparedQuery("select $1::int").execute(Tuple.of(i)));
      }
    }
    await(Future.join(writes));
    for (int i = 0; i < IN_ONE_GO; i++) {
      assertThat(await(writes.get(i))).isEqualTo(i % FAILING == 0 ? "23514" : "none");
    }
    for (int i = 0; i < reads.size(); i++) {
      assertThat(await(reads.get(i)).iterator().next().getInteger(0)).isEqualTo(i * 10);
    }
    await(client.close());
  }

  @Override
  public void close() {
    Future<Void> closed = vertx.close();
    Await.until("its threads to end", closed::succeeded);
  }
}

package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.postgresql.api.PostgresqlConnection;
import io.r2dbc.postgresql.api.PostgresqlException;
import io.r2dbc.postgresql.api.PostgresqlStatement;
import io.r2dbc.postgresql.codec.Json;
import io.r2dbc.spi.IsolationLevel;
import io.r2dbc.spi.R2dbcException;
import java.time.Duration;
import java.util.List;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Sessions of r2dbc-postgresql, which write at the same time. */
final class R2dbcWork {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int SESSIONS = 4;
  private static final int ROUNDS = 5;
  private static final int BATCH = 20;
  static final int KEPT = SESSIONS * ROUNDS * (BATCH + 2);
  static final int MADE = SESSIONS * ROUNDS;

  private final PostgresqlConnectionFactory factory;

  R2dbcWork(Cluster cluster) {
    factory =
        new PostgresqlConnectionFactory(
            PostgresqlConnectionConfiguration.builder()
                .host(cluster.address().host())
                .port(cluster.address().port())
                .database("app")
                .username("alice")
                .password(Postgres.PASSWORD)
                .build());
  }

  void writeBySessions() {
    Flux.range(0, SESSIONS)
        .flatMap(
            number ->
                Mono.usingWhen(
                    factory.create(),
                    session ->
                        Flux.range(0, ROUNDS)
                            .concatMap(round -> transaction(session, number * 1_000 + round * 100))
                            .then(),
                    PostgresqlConnection::close))
        .then()
        .block(PATIENCE);
  }

  private static Mono<Void> transaction(PostgresqlConnection session, int first) {
    return session
        .beginTransaction(IsolationLevel.REPEATABLE_READ)
        .then(Mono.defer(() -> inserted(session, first)))
        .then(session.createSavepoint("before"))
        .then(failing(session, first))
        .then(session.rollbackTransactionToSavepoint("before"))
        .then(Mono.defer(() -> made(session, first)))
        .then(Mono.defer(() -> severalTexts(session, first)))
        .then(Mono.defer(() -> readInParts(session, first)))
        .then(session.commitTransaction())
        .then(Mono.defer(() -> undone(session, first)));
  }

  private static Mono<Void> inserted(PostgresqlConnection session, int first) {
    PostgresqlStatement insert =
        session.createStatement("insert into kept (client, id) values ('r2dbc', $1)");
    for (int i = 0; i < BATCH; i++) {
      insert.bind("$1", first + i);
      if (i < BATCH - 1) {
        insert.add();
      }
    }
    return insert
        .execute()
        .concatMap(result -> result.getRowsUpdated())
        .collectList()
        .doOnNext(counts -> assertThat(counts).hasSize(BATCH).containsOnly(1L))
        .then();
  }

  private static Mono<Void> failing(PostgresqlConnection session, int first) {
    return fails(
        session
            .createStatement("insert into kept (client, id) values ('r2dbc', $1)")
            .bind("$1", first)
            .execute()
            .concatMap(result -> result.getRowsUpdated()),
        "23505");
  }

  private static Mono<Void> fails(Publisher<?> statement, String state) {
    return Flux.from(statement)
        .then(Mono.just(""))
        .onErrorResume(
            R2dbcException.class,
            e -> {
              assertThat(e).isInstanceOf(PostgresqlException.class);
              return Mono.just(e.getSqlState());
            })
        .doOnNext(found -> assertThat(found).isEqualTo(state))
        .then();
  }

  private static Mono<Void> made(PostgresqlConnection session, int first) {
    return session
        .createStatement("insert into made (client, name, doc) values ('r2dbc', $1, $2)")
        .bind("$1", "row " + first)
        .bind("$2", Json.of("{\"a\": [1, 2]}"))
        .returnGeneratedValues("id")
        .execute()
        .concatMap(result -> result.map((row, metadata) -> row.get("id", Integer.class)))
        .single()
        .doOnNext(id -> assertThat(id).isPositive())
        .then();
  }

  private static Mono<Void> severalTexts(PostgresqlConnection session, int first) {
    return session
        .createBatch()
        .add("insert into kept (client, id) values ('r2dbc', %d)".formatted(first + BATCH))
        .add("insert into kept (client, id) values ('r2dbc', %d)".formatted(first + BATCH + 1))
        .add("update kept set n = 7 where client = 'r2dbc' and id = " + first)
        .execute()
        .concatMap(result -> result.getRowsUpdated())
        .collectList()
        .doOnNext(counts -> assertThat(counts).isEqualTo(List.of(1L, 1L, 1L)))
        .then();
  }

  private static Mono<Void> readInParts(PostgresqlConnection session, int first) {
    return session
        .createStatement(
            "select id, n from kept where client = 'r2dbc' and id between $1 and $2 order by id")
        .bind("$1", first)
        .bind("$2", first + BATCH + 1)
        .fetchSize(5)
        .execute()
        .concatMap(result -> result.map((row, metadata) -> row.get("n", Integer.class)))
        .collectList()
        .doOnNext(found -> assertThat(found).hasSize(BATCH + 2).startsWith(7, 0).endsWith(0))
        .then();
  }

  private static Mono<Void> undone(PostgresqlConnection session, int first) {
    return session
        .beginTransaction()
        .thenMany(
            session
                .createStatement("delete from kept where client = 'r2dbc' and id = $1")
                .bind("$1", first)
                .execute()
                .concatMap(result -> result.getRowsUpdated()))
        .then(
            fails(
                session
                    .createStatement("select 1 / 0")
                    .execute()
                    .concatMap(r -> r.map((row, m) -> row)),
                "22012"))
        .then(session.rollbackTransaction());
  }
}

package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table of jobs, of which several consumers take each what no other has locked. */
class QueueIT {
  private static final int CONSUMERS = 6;
  private static final int SOME = 100;

  private static final String TABLES =
      "create table job (id int primary key, done_by int, times int not null default 0);"
          + "create table done (id bigserial primary key, job int not null, done_by int not null)";

  private static final String NEXT =
      "select id from job where done_by is null order by id for update skip locked limit 1";

  private static final String DONE = "select count(*) from done";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;
  private final Map<Integer, Integer> doneBy = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<String> twice = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private int jobs;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  /** And while servers die, of which one leads. */
  @Test
  void eachJobIsDoneOnce() throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
    List<CompletableFuture<Void>> consumers = new ArrayList<>();
    try {
      for (int i = 0; i < CONSUMERS; i++) {
        int number = i;
        consumers.add(CompletableFuture.runAsync(() -> consume(number)));
      }
      more();
      cluster.servers.get(1).kill();
      more();
      cluster.servers.get(1).startAgain();
      cluster.awaitIn(2);
      more();
      cluster.servers.get(0).kill();
      more();
      cluster.servers.get(0).startAgain();
      awaitDone(jobs);
    } finally {
      over.set(true);
      CompletableFuture.allOf(consumers.toArray(CompletableFuture[]::new))
          .get(180, TimeUnit.SECONDS);
    }
    cluster.awaitIn(2);
    cluster.assertAlike();
    assertThat(twice).isEmpty();
    // A session that has not yet entered the server that came back ends with the other one.
    assertThat(told).allMatch(state -> state.matches("(?s)(40001|57P01|08003) .*"));
    assertThat(doneBy).hasSize(jobs);
    assertThat(cluster.number("select count(*) from job where times <> 1")).isZero();
    assertThat(cluster.number("select count(*) from job") + cluster.number(DONE)).isEqualTo(jobs);
    assertThat(cluster.number("select count(*) from job join done on job.id = done.job")).isZero();
    assertThat(cluster.number("select count(distinct job) from done"))
        .isEqualTo(cluster.number(DONE))
        .isPositive();
    assertDoneByWhoWasTold();
  }

  private void awaitDone(int count) {
    Await.until(count + " jobs to be done", () -> doneBy.size() >= count);
  }

  /** Some are done, of more that are there then. */
  private void more() throws SQLException {
    try (Connection connection = cluster.alice()) {
      execute(
          connection,
          "insert into job (id) select generate_series(?, ?)",
          SOME * 2,
          jobs + 1,
          jobs + SOME * 2);
    }
    jobs += SOME * 2;
    awaitDone(Math.min(jobs, doneBy.size() + SOME));
  }

  private void consume(int consumer) {
    while (!over.get()) {
      try (Connection connection = cluster.alice()) {
        connection.setAutoCommit(consumer % 3 == 0);
        while (!over.get()) {
          consume(connection, consumer);
        }
      } catch (SQLException e) {
        told.add(e.getSQLState() + " " + e.getMessage());
      }
    }
  }

  private void consume(Connection connection, int consumer) throws SQLException {
    try {
      Optional<Integer> job =
          switch (consumer % 3) {
            case 0 -> mark(connection, consumer);
            case 1 -> lockThenMark(connection, consumer);
            default -> delete(connection, consumer);
          };
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
      if (job.isPresent()) {
        note(job.get(), consumer);
      } else {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
    } catch (SQLException e) {
      told.add(e.getSQLState() + " " + e.getMessage());
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
    }
  }

  private void note(int job, int consumer) {
    Integer other = doneBy.put(job, consumer);
    if (other != null) {
      twice.add("job %d by %d and %d".formatted(job, other, consumer));
    }
  }

  /** By one statement. */
  private static Optional<Integer> mark(Connection connection, int consumer) throws SQLException {
    return number(
        connection,
        "update job set done_by = ?, times = times + 1 where id = (%s) returning id"
            .formatted(NEXT),
        consumer);
  }

  private static Optional<Integer> lockThenMark(Connection connection, int consumer)
      throws SQLException {
    Optional<Integer> job = number(connection, NEXT);
    if (job.isPresent()) {
      execute(
          connection,
          "update job set done_by = ?, times = times + 1 where id = ?",
          1,
          consumer,
          job.get());
    }
    return job;
  }

  private static Optional<Integer> delete(Connection connection, int consumer) throws SQLException {
    Optional<Integer> job =
        number(connection, "delete from job where id = (%s) returning id".formatted(NEXT));
    if (job.isPresent()) {
      execute(connection, "insert into done (job, done_by) values (?, ?)", 1, job.get(), consumer);
    }
    return job;
  }

  private static void bind(PreparedStatement statement, int... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setInt(i + 1, values[i]);
    }
  }

  private static void execute(Connection connection, String sql, int rows, int... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      assertThat(statement.executeUpdate()).isEqualTo(rows);
    }
  }

  private static Optional<Integer> number(Connection connection, String sql, int... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(rows.getInt(1)) : Optional.empty();
      }
    }
  }

  private void assertDoneByWhoWasTold() throws SQLException {
    Map<Integer, Integer> noted = new ConcurrentHashMap<>();
    try (Connection direct = cluster.servers.get(0).direct("app");
        ResultSet rows =
            direct
                .createStatement()
                .executeQuery(
                    "select id, done_by from job union all select job, done_by from done")) {
      while (rows.next()) {
        noted.put(rows.getInt(1), rows.getInt(2));
      }
    }
    assertThat(noted).isEqualTo(doneBy);
  }
}

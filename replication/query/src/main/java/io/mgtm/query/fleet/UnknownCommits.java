package io.mgtm.query.fleet;

import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits of which nobody knows whether the last server has them, and prepared transactions that
 * their sessions have not ended. Any thread.
 */
public final class UnknownCommits {
  private static final Logger log = LoggerFactory.getLogger(UnknownCommits.class);
  private static final int AGAIN_MS = 500;

  private final CommitLog commits;
  private final OwnRole role;
  private final Slots slots;

  UnknownCommits(CommitLog commits, OwnRole role, Slots slots) {
    this.commits = commits;
    this.role = role;
    this.slots = slots;
  }

  /**
   * Finds out whether the last server has committed an entry, once it answers and the backend is
   * gone; drops the entry when not. Then the slot is free.
   */
  public void resolve(Node node, String database, int slot, long number, int pid) {
    String entry = "SELECT entry FROM mgtm.position WHERE slot = " + slot;
    onceGone(node, database, pid, asker -> asker.ask(entry))
        .whenComplete(
            (rows, cause) -> {
              if (cause != null || rows.isEmpty()) {
                again(() -> resolve(node, database, slot, number, pid));
              } else if (Long.parseLong(rows.get(0).get(0)) < number) {
                log.warn("{} has not committed entry {}, which is dropped", node, number);
                nowhere(slot, number);
              } else {
                isSettled(slot, number);
              }
            });
  }

  /**
   * Commits what is decided and prepared at a server, and notes it. It is tried for as long as the
   * server is in and this replicator orders.
   *
   * @return whether it has committed there
   */
  public CompletableFuture<Boolean> finish(
      Node node, String database, PreparedTransaction one, int slot, long number, long settled) {
    return end(
        node, database, asker -> PreparedTransactions.finish(asker, one, slot, number, settled));
  }

  /**
   * Rolls one back, in the same way.
   *
   * @return whether it is
   */
  public CompletableFuture<Boolean> rollBack(Node node, String database, PreparedTransaction one) {
    return end(
        node,
        database,
        asker -> PreparedTransactions.rollBack(asker, one).thenApply(nothing -> true));
  }

  private CompletableFuture<Boolean> end(
      Node node, String database, Function<Asker, CompletableFuture<Boolean>> how) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    tryFinish(node, () -> role.use(node.address(), database, how), done);
    return done;
  }

  private void tryFinish(
      Node node, Supplier<CompletableFuture<Boolean>> once, CompletableFuture<Boolean> done) {
    once.get()
        .whenComplete(
            (committed, cause) -> {
              if (cause == null) {
                done.complete(committed);
              } else if (!node.isIn() || commits.isEnded()) {
                done.complete(false);
              } else {
                log.warn("{} does not end what it has prepared: {}", node, Futures.reason(cause));
                later(() -> tryFinish(node, once, done));
              }
            });
  }

  /**
   * Rolls back what a server may have prepared for a session that is gone, once its backend is; one
   * that is out does so when it comes back.
   */
  public void rollBack(Node node, String database, PreparedTransaction one, int pid) {
    onceGone(node, database, pid, asker -> PreparedTransactions.rollBack(asker, one))
        .whenComplete(
            (done, cause) -> {
              if (cause != null && node.isIn()) {
                again(() -> rollBack(node, database, one, pid));
              }
            });
  }

  /** Rolls back what other replicators have prepared at a server. */
  public CompletableFuture<Void> rollBackOthers(Node node) {
    return role.ask(node.address(), role.database(), PositionTable.DATABASES)
        .thenCompose(
            rows ->
                Futures.inTurn(
                    rows,
                    row ->
                        role.use(
                            node.address(),
                            row.get(0),
                            asker -> PreparedTransactions.rollBackOthers(asker, node.fence()))))
        .handle(
            (done, cause) -> {
              if (cause != null) {
                log.warn(
                    "{} has prepared transactions of another replicator: {}",
                    node,
                    Futures.reason(cause));
              }
              return null;
            });
  }

  /** Asks a server something; fails while a backend is there that may do more. */
  private <T> CompletableFuture<T> onceGone(
      Node node, String database, int pid, Function<Asker, CompletableFuture<T>> question) {
    return role.use(
        node.address(),
        database,
        asker ->
            asker
                .ask("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid)
                .thenCompose(
                    rows ->
                        rows.get(0).get(0).equals("0")
                            ? question.apply(asker)
                            : CompletableFuture.failedFuture(
                                new IOException("its backend is there still"))));
  }

  /** An entry is at no server: the log says so as soon as it has room. Then the slot is free. */
  public void nowhere(int slot, long number) {
    commits
        .drop(number, slot)
        .whenComplete(
            (done, cause) -> {
              if (cause == null) {
                isSettled(slot, number);
              } else {
                again(() -> nowhere(slot, number));
              }
            });
  }

  private void isSettled(int slot, long number) {
    commits.settled(number);
    slots.release(slot);
  }

  /** Nobody waits any more where another replicator orders. */
  private void again(Runnable task) {
    if (!commits.isEnded()) {
      later(task);
    }
  }

  private void later(Runnable task) {
    role.loop().schedule(task, AGAIN_MS, TimeUnit.MILLISECONDS);
  }
}

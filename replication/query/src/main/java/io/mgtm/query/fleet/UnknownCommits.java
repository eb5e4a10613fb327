package io.mgtm.query.fleet;

import io.mgtm.query.connection.OwnRole;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commits of which nobody knows whether the last server has them. Any thread. */
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
    role.use(
            node.address(),
            database,
            asker ->
                asker
                    .ask("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid)
                    .thenCompose(
                        rows ->
                            rows.get(0).get(0).equals("0")
                                ? asker.ask("SELECT entry FROM mgtm.position WHERE slot = " + slot)
                                : CompletableFuture.completedFuture(List.of())))
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
    if (commits.isEnded()) {
      return;
    }
    role.loop().schedule(task, AGAIN_MS, TimeUnit.MILLISECONDS);
  }
}

package io.mgtm.query.fleet;

import io.mgtm.query.order.Entry;
import io.mgtm.query.order.OrderState;
import io.mgtm.query.order.Part;
import io.netty.channel.EventLoop;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * What clients have prepared, as the log has it: it stays so until somebody ends it, whoever leads
 * meanwhile. Any thread; what it keeps belongs to the log's owner.
 */
public final class PreparedLog {
  /** All are a part of each picture of the log. */
  private static final long BYTES_MAX = 32 << 20;

  private final CommitLog commits;
  private final OrderState state;
  private final Owner owner;

  /** Those that a session is about to end, or to prepare at all servers. */
  private final Set<UUID> claimed = new HashSet<>();

  /** Those that no server could prepare again. */
  private final Set<UUID> givenUp = new HashSet<>();

  PreparedLog(CommitLog commits, OrderState state, Owner owner) {
    this.commits = commits;
    this.state = state;
    this.owner = owner;
  }

  /** What each server is to have prepared, in the order in which that was. */
  public CompletableFuture<List<Entry.Prepares>> all() {
    return CompletableFuture.supplyAsync(
        () ->
            state.prepared().stream().filter(one -> !givenUp.contains(one.part().token())).toList(),
        owner::run);
  }

  /** No server can prepare one again: it can only be rolled back, or is tried at a next start. */
  public void giveUp(Entry.Prepares one) {
    owner.run(() -> givenUp.add(one.part().token()));
  }

  /** Whether there is room for one more. */
  public CompletableFuture<Boolean> hasRoom() {
    return CompletableFuture.supplyAsync(
        () -> state.prepared().stream().mapToLong(one -> one.part().bytes()).sum() < BYTES_MAX,
        owner::run);
  }

  /**
   * Decides that one is prepared, which the leader is. Nobody else ends it before it is unclaimed.
   *
   * @param loop on which is told what becomes of it
   */
  public void prepare(
      String gid,
      String role,
      Part part,
      LabelRenames.Of labels,
      EventLoop loop,
      CommitLog.Done done) {
    decide(
        number -> {
          if (admit(labels) != null) {
            return null;
          }
          claimed.add(part.token());
          return new Entry.Prepares(number, gid, role, part);
        },
        loop,
        done);
  }

  /** Admits a transaction as the next in the log: why not, or null. Owner. */
  String admit(LabelRenames.Of one) {
    boolean some =
        one.renames()
            && state.prepared().stream()
                .anyMatch(each -> each.part().database().equals(one.database()));
    return commits.labels().admit(one, some);
  }

  /** Decides that one which was claimed is rolled back. */
  public void rollBack(UUID token, EventLoop loop, CommitLog.Done done) {
    decide(number -> new Entry.RollsBack(number, token), loop, done);
  }

  /** The same, of one that no session can end. */
  public CompletableFuture<Long> rollBack(UUID token) {
    return commits.decide(number -> new Entry.RollsBack(number, token), 0);
  }

  private void decide(LongFunction<Entry> entry, EventLoop loop, CommitLog.Done done) {
    commits.decide(
        entry,
        0,
        number -> loop.execute(() -> done.decided(number, 0)),
        why -> loop.execute(() -> done.refused(why)),
        why -> loop.execute(() -> done.inDoubt(why)));
  }

  /**
   * Has nobody else end one from now on.
   *
   * @return null where there is none of that name, or somebody ends or prepares it
   */
  public CompletableFuture<Entry.Prepares> claim(String gid) {
    return CompletableFuture.supplyAsync(
        () ->
            state.prepared().stream()
                .filter(one -> one.gid().equals(gid) && claimed.add(one.part().token()))
                .findFirst()
                .orElse(null),
        owner::run);
  }

  /** One that was claimed is ended, or may be by others. */
  public void unclaim(UUID token) {
    owner.run(() -> claimed.remove(token));
  }
}

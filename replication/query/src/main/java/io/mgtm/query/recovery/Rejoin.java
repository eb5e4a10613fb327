package io.mgtm.query.recovery;

import io.mgtm.query.catalogue.SchemaLock;
import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.CommitGate;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.fleet.ServerKind;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.Misses;
import io.mgtm.query.order.Part;
import io.mgtm.query.order.Position;
import io.mgtm.query.session.Shared;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a server that comes back, or is added, what it misses while the others go on, and lets it
 * in. One thread, which waits.
 */
final class Rejoin {
  private static final Logger log = LoggerFactory.getLogger(Rejoin.class);

  /** So much of the log is read at once. */
  static final int CHUNK_BYTES = 4 << 20;

  /** So few are given while no commit is under way, or fewer where they come slowly. */
  private static final int FEW = 200;

  /** So often it is given what has come meanwhile, though that was few. */
  private static final int AGAIN = 10;

  /** For what sessions do before commits wait. */
  private static final int READY_MS = 100;

  /** No two servers were started in the same microsecond. */
  private static final String STARTED = "SELECT extract(epoch FROM pg_postmaster_start_time())";

  private final Shared shared;
  private final OwnRole role;
  private final CommitLog commits;
  private final PositionTable table;
  private final Fleet fleet;
  private final Verifier verifier;

  Rejoin(Shared shared, OwnRole role, Verifier verifier) {
    this.shared = shared;
    this.verifier = verifier;
    this.role = role;
    this.commits = shared.commits();
    this.table = shared.positions();
    this.fleet = shared.fleet();
  }

  /**
   * Takes over a server that is out, gives it all that it misses while the others go on, and lets
   * it in.
   *
   * @param compare whether its rows are to be compared with the leader's before
   * @throws IOException when it cannot be, and why
   */
  void comeBack(Node node, boolean compare) throws IOException {
    requireAnother(node);
    if (!commits.isOf(Futures.await(table.read(node)))) {
      throw new IOException(
          "another replicator has written to it, or the log has lost what it has; make it a copy"
              + " of one that is in");
    }
    long fence = Futures.await(commits.fence(0));
    Map<String, Position> positions = Futures.await(table.takeOver(node, fence));
    long last = Futures.await(commits.lastNumber());
    if (Takeover.highest(positions) > last) {
      throw new IOException(
          "it has transactions that the log has not; make it a copy of one that is in");
    }
    long from = from(node, positions, last);
    node.setHas(from);
    try (Replayer replayer = new Replayer(role, node, fence)) {
      long began = from;
      from = giveMost(node, replayer, positions, from);
      if (compare) {
        from = compare(node, replayer, positions, from);
        from = giveMost(node, replayer, positions, from);
      }
      letInPrepared(node, fence, replayer, positions, from);
      log.info("{} was given what it missed after transaction {}", node, began);
    }
  }

  /** What is written to each of two would be written twice to one. */
  private void requireAnother(Node node) throws IOException {
    String started = started(node);
    for (Node other : fleet.in()) {
      if (other != node && started.equals(started(other))) {
        throw new IOException("it is the server " + other + " by another name; remove one of them");
      }
    }
  }

  private String started(Node node) throws IOException {
    return Futures.await(
            role.ask(node.address(), role.database(), STARTED),
            shared.config().timeouts().silentMs())
        .get(0)
        .get(0);
  }

  /** Until few are left, or none that is not under way. */
  private long giveMost(Node node, Replayer replayer, Map<String, Position> positions, long above)
      throws IOException {
    long from = above;
    long given;
    long left;
    int again = AGAIN;
    do {
      given = from;
      from = give(replayer, positions, from);
      node.setHas(from);
      left = Futures.await(commits.lastNumber()) - from;
    } while (from > given && (left > FEW || (left > 0 && again-- > 0)));
    return from;
  }

  /** Has the rows compared at moments at which it has all. */
  private long compare(Node node, Replayer replayer, Map<String, Position> positions, long above)
      throws IOException {
    long[] from = {above};
    Supplier<CompletableFuture<Void>> giveAll =
        () ->
            CompletableFuture.runAsync(
                () -> {
                  replayer.hurry(withinMs());
                  try {
                    requireQuiet();
                    from[0] = give(replayer, positions, from[0]);
                  } catch (IOException e) {
                    throw new CompletionException(e);
                  }
                });
    SchemaLock.Holder held = shared.schemaLock().take(shared.config().timeouts().applyMs());
    try {
      List<Verifier.Difference> found =
          Futures.await(verifier.verify(List.of(fleet.leader(), node), giveAll));
      if (!found.isEmpty()) {
        throw new IOException(found.get(0).text() + "; make it a copy of one that is in");
      }
    } finally {
      shared.schemaLock().leave(held);
      replayer.hurry(0);
    }
    return from[0];
  }

  private void requireQuiet() throws IOException {
    if (!commits.isQuiet()) {
      throw new IOException("it is not known yet what the last server has committed");
    }
  }

  /** After which number it may miss something. */
  private long from(Node node, Map<String, Position> positions, long last) throws IOException {
    long first = commits.first();
    long settled = commits.settledBy();
    Map<String, Position> leads = null;
    long from = last;
    for (Map.Entry<String, Position> one : positions.entrySet()) {
      long has = one.getValue().settled();
      if (has + 1 < first) {
        // Where nothing was written since, it has what the leader has.
        leads = leads == null ? Futures.await(table.read(fleet.leader())) : leads;
        Position leader = leads.get(one.getKey());
        if (leader == null || one.getValue().isBlank() || !leader.equalsIn(one.getValue())) {
          throw new IOException(
              "the log no longer has all that it misses; make it a copy of one that is in");
        }
        has = settled;
      } else if (one.getValue().isBlank() && hadTable(node, one.getKey())) {
        throw new IOException(
            "its table mgtm.position in %s was lost; make it a copy of one that is in"
                .formatted(one.getKey()));
      }
      from = Math.min(from, has);
    }
    return from;
  }

  /** Whether it was in when or after a database was first written, by a log that has all. */
  private boolean hadTable(Node node, String database) throws IOException {
    boolean written = false;
    boolean in = false;
    for (CommitLog.Past past = commits.read(0, CHUNK_BYTES);
        !past.entries().isEmpty();
        past = commits.read(past.next(), CHUNK_BYTES)) {
      for (Entry entry : past.entries()) {
        if (entry instanceof Entry.Server server && server.address().equals(node.toString())) {
          in = server.state().isIn();
        } else if (entry instanceof Entry.Commits commit) {
          written |= commit.parts().stream().anyMatch(part -> part.database().equals(database));
        }
        if (written && in) {
          return true;
        }
      }
    }
    return false;
  }

  private long give(Replayer replayer, Map<String, Position> positions, long from)
      throws IOException {
    long next = from;
    CommitLog.Past past = commits.read(next, CHUNK_BYTES);
    while (!past.entries().isEmpty()) {
      for (Entry entry : past.entries()) {
        Misses misses = Misses.of(entry, positions, past.dropped());
        if (misses.cannot() != null) {
          throw new IOException(misses.cannot() + "; make it a copy of one that is in");
        }
        for (Part part : misses.parts()) {
          replayer.give((Entry.Commits) entry, part);
          positions.get(part.database()).took(entry.number(), part.slot());
        }
      }
      next = past.next();
      past = commits.read(next, CHUNK_BYTES);
    }
    replayer.flush();
    return next;
  }

  /** How long commits wait for a server that is not in. */
  private int withinMs() {
    return shared.config().timeouts().applyMs();
  }

  /** Opens the connections to the server that will be needed, before commits wait. */
  private void letInPrepared(
      Node node, long fence, Replayer replayer, Map<String, Position> positions, long above)
      throws IOException {
    List<Asker> askers = new ArrayList<>();
    try (SequenceCopy sequences = new SequenceCopy(role, fleet.leader(), node)) {
      for (String database : positions.keySet()) {
        askers.add(Futures.await(role.enter(node.address(), database)));
      }
      node.setFence(fence);
      Futures.await(shared.sessions().serverComes(node));
      // Sessions that are at work make their connections ready with their next statements.
      Executor later = CompletableFuture.delayedExecutor(READY_MS, TimeUnit.MILLISECONDS);
      Futures.await(CompletableFuture.runAsync(() -> {}, later));
      long from = giveMost(node, replayer, positions, above);
      // Once before, as a server's first time takes longer.
      Futures.await(table.reached(askers, from, fence), withinMs());
      sequences.copy(positions.keySet(), withinMs());
      letIn(node, fence, replayer, positions, from, askers, sequences);
    } finally {
      askers.forEach(Asker::close);
      if (!node.isIn()) {
        shared.sessions().serverOut(node);
      }
    }
  }

  /** Gives it the rest, at a moment at which no commit is under way. */
  private void letIn(
      Node node,
      long fence,
      Replayer replayer,
      Map<String, Position> positions,
      long from,
      List<Asker> askers,
      SequenceCopy sequences)
      throws IOException {
    CommitGate gate = shared.gate();
    Futures.await(gate.close());
    replayer.hurry(withinMs());
    try {
      requireQuiet();
      give(replayer, positions, from);
      long reached = Futures.await(commits.lastNumber());
      Futures.await(table.reached(askers, reached, fence), withinMs());
      Set<String> has = positions.keySet();
      prepareNew(node, has, reached);
      sequences.copy(table.databases(), withinMs());
      if (!sequences.isFrom(fleet.leader())) {
        throw new IOException("another server has come to lead meanwhile");
      }
      for (Entry.Prepares one : Futures.await(commits.prepared().all())) {
        replayer.prepare(one);
      }
      fleet.admit(node);
      shared.sequences().cameIn();
      if (ServerKind.isMixed(fleet.nodes())) {
        shared.catalogues().forget();
      }
      // Whoever did not see it in before has named the database by now.
      prepareNew(node, has, reached);
    } finally {
      gate.open();
    }
  }

  /** Databases that were used for the first time since it was taken over have the table there. */
  private void prepareNew(Node node, Set<String> has, long reached) throws IOException {
    for (String database : table.databases()) {
      if (!has.contains(database)) {
        Futures.await(table.prepare(node, database, reached), withinMs());
      }
    }
  }
}

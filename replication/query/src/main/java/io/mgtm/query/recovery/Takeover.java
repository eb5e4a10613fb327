package io.mgtm.query.recovery;

import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.fleet.Ejection;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.FleetStart;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.Misses;
import io.mgtm.query.order.Part;
import io.mgtm.query.order.Position;
import io.mgtm.query.session.Shared;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over all servers when a replicator begins to lead, and gives each what it misses. One
 * thread, which waits.
 */
final class Takeover {
  private static final Logger log = LoggerFactory.getLogger(Takeover.class);

  private final Shared shared;
  private final OwnRole role;
  private final FleetStart start;
  private final CommitLog commits;
  private final PositionTable table;
  private final Fleet fleet;
  private CompletableFuture<Void> noted = CompletableFuture.completedFuture(null);

  /** How many transactions servers have missed, for the log. */
  private final Map<Node, Integer> given = new LinkedHashMap<>();

  Takeover(Shared shared, OwnRole role, FleetStart start) {
    this.shared = shared;
    this.start = start;
    this.role = role;
    this.commits = shared.commits();
    this.table = shared.positions();
    this.fleet = shared.fleet();
  }

  /**
   * Takes over all servers that are in, and gives each what it misses; who cannot be is put out.
   *
   * @param unproven of which rows are to be compared in any case
   * @return the same, and those that do not have what the log says that they have; and all when the
   *     log has lost its end, or another replicator has ordered, so that it cannot tell
   * @throws IOException when none is left, or the log cannot be written
   */
  List<Node> takeOverAll(List<Node> unproven) throws IOException {
    if (shared.config().group().exists() && !commits.tells()) {
      throw new IOException(
          "this replicator's part of the log is too short to tell what servers miss; another one"
              + " must lead");
    }
    long last = Futures.await(commits.lastNumber());
    long found = 0;
    boolean lost = false;
    for (Map<String, Position> has : askAll(table::read).values()) {
      found = Math.max(found, highest(has));
      lost |= !commits.isOf(has);
    }
    lost |= found > last;
    if (lost) {
      start.mistrust();
    }
    Map<Node, Map<String, Position>> all = new LinkedHashMap<>();
    long fence;
    do {
      fence = Futures.await(commits.fence(found));
      long with = fence;
      all.putAll(askAll(one -> table.takeOver(one, with)));
      for (Node node : all.keySet()) {
        node.setFence(fence);
        for (Position position : all.get(node).values()) {
          lost |= position.highestEntry() > last;
          found = Math.max(found, position.highest());
        }
      }
    } while (found > fence);
    table.databases().stream()
        .filter(one -> fleet.in().stream().allMatch(node -> all.get(node).containsKey(one)))
        .forEach(table::arePrepared);
    if (lost) {
      log.warn(
          "The log of commits ends at {}, and servers are beyond, or another replicator has"
              + " ordered: rows are compared",
          last);
      start.mistrust();
      forgetPrepared();
      return byPosition(fleet.in(), List.of(), all);
    }
    List<Node> unlike = new ArrayList<>(unproven);
    for (Node node : fleet.in()) {
      if (!unlike.contains(node) && !hasWhatItHad(node, all)) {
        log.warn("The server {} has not all that it had: its rows are compared", node);
        unlike.add(node);
      }
    }
    byPosition(unlike, fleet.in(), all);
    unlike.forEach(all::remove);
    level(all, fence);
    noteReached(all, fence);
    return unlike;
  }

  /**
   * Has all that are in prepare again what clients have prepared. Who cannot is put out, but what
   * none of them can prepare is left to be rolled back.
   *
   * @throws IOException when none is left
   */
  void prepareAgain() throws IOException {
    Map<Node, Replayer> replayers = new LinkedHashMap<>();
    try {
      for (Entry.Prepares one : Futures.await(commits.prepared().all())) {
        Map<Node, Replayer.ReplayException> cannot = new LinkedHashMap<>();
        for (Node node : fleet.in()) {
          try {
            prepareAgain(node, one, replayers);
          } catch (Replayer.ReplayException e) {
            cannot.put(node, e);
          } catch (IOException e) {
            mustBeOut(node, fleet.eject(node, e.getMessage()), e);
          }
        }
        if (cannot.keySet().containsAll(fleet.in())) {
          log.error(
              "The prepared transaction '{}' of {} in {} could not be prepared again, and holds no"
                  + " locks: ROLLBACK PREPARED, or mend it and restart this replicator: {}",
              one.gid(),
              one.owner(),
              one.part().database(),
              cannot.values());
          commits.prepared().giveUp(one);
        } else {
          cannot.forEach((node, e) -> fleet.eject(node, e.why()));
        }
      }
    } finally {
      replayers.values().forEach(Replayer::close);
    }
  }

  private void prepareAgain(Node node, Entry.Prepares one, Map<Node, Replayer> replayers)
      throws IOException {
    int withinMs = shared.config().timeouts().applyMs();
    if (!replayers.containsKey(node)) {
      replayers.put(node, new Replayer(role, node, node.fence()));
      // Who has led may have prepared some since they were rolled back.
      Futures.await(table.unknown().rollBackOthers(node), withinMs);
    }
    replayers.get(node).hurry(fleet.in().size() > 1 ? withinMs : 0);
    replayers.get(node).prepare(one);
  }

  /** What it says that clients have prepared may be committed by now. */
  private void forgetPrepared() throws IOException {
    for (Entry.Prepares one : Futures.await(commits.prepared().all())) {
      log.warn("The prepared transaction '{}' of {} is rolled back", one.gid(), one.owner());
      Futures.await(commits.prepared().rollBack(one.part().token()));
    }
  }

  /** Completes when it is noted at all that they have what is in the log, and is on their disks. */
  CompletableFuture<Void> noted() {
    return noted;
  }

  private void noteReached(Map<Node, Map<String, Position>> all, long fence) throws IOException {
    long reached = Futures.await(commits.lastNumber());
    noted =
        Futures.all(
            all.entrySet().stream()
                .filter(one -> one.getKey().isIn())
                .map(one -> table.level(one.getKey(), one.getValue().keySet(), reached, fence)));
  }

  /** Of those that are to be compared the one that has the most leads, unless others are proven. */
  private List<Node> byPosition(
      List<Node> unproven, List<Node> of, Map<Node, Map<String, Position>> all) {
    List<Node> order = new ArrayList<>(of);
    order.removeAll(unproven);
    unproven.stream()
        .sorted(
            Comparator.<Node>comparingLong(node -> highest(all.get(node), Position::settled))
                .thenComparingLong(node -> highest(all.get(node), Position::highestEntry))
                .reversed())
        .forEach(order::add);
    fleet.lead(order);
    return unproven;
  }

  private static long highest(Map<String, Position> positions, ToLongFunction<Position> what) {
    return positions == null ? 0 : positions.values().stream().mapToLong(what).max().orElse(0);
  }

  /**
   * Whether a server that was in still has what it must have, as far as the log does not reach:
   * what was made of an older copy has not.
   */
  private boolean hasWhatItHad(Node node, Map<Node, Map<String, Position>> all) throws IOException {
    Map<String, Position> mine = all.get(node);
    long settled = commits.settled();
    if (mine.isEmpty()) {
      return settled == 0;
    }
    long first = commits.first();
    for (Map.Entry<String, Position> one : mine.entrySet()) {
      Position position = one.getValue();
      boolean others =
          all.values().stream()
              .map(positions -> positions.get(one.getKey()))
              .anyMatch(
                  other ->
                      other != null
                          && ((position.isBlank() && !other.isBlank())
                              || !other.isWithin(position, settled)));
      if ((position.isBlank() && settled > 0) || (position.settled() + 1 < first && others)) {
        return false;
      }
    }
    return true;
  }

  /** Asks those that are in at once; who does not answer is put out, unless it is the last. */
  private Map<Node, Map<String, Position>> askAll(
      Function<Node, CompletableFuture<Map<String, Position>>> question) throws IOException {
    Map<Node, CompletableFuture<Map<String, Position>>> asked = new LinkedHashMap<>();
    int withinMs = shared.config().timeouts().applyMs();
    fleet
        .in()
        .forEach(
            node ->
                asked.put(node, question.apply(node).orTimeout(withinMs, TimeUnit.MILLISECONDS)));
    Map<Node, Map<String, Position>> all = new LinkedHashMap<>();
    for (Map.Entry<Node, CompletableFuture<Map<String, Position>>> one : asked.entrySet()) {
      try {
        all.put(one.getKey(), Futures.await(one.getValue()));
      } catch (IOException e) {
        if (!start.eject(one.getKey(), e.getMessage())) {
          throw e;
        }
        all.put(one.getKey(), Map.of());
      }
    }
    return all;
  }

  static long highest(Map<String, Position> positions) {
    return highest(positions, Position::highest);
  }

  /** What one of them has, or the log alone, goes to all. */
  private void level(Map<Node, Map<String, Position>> all, long fence) throws IOException {
    long first = commits.first();
    long floor = commits.settled();
    for (Map<String, Position> positions : all.values()) {
      for (Position position : positions.values()) {
        // One that lies before the log tells nothing: who is in had all of that.
        boolean tells = position.settled() + 1 >= first;
        floor = tells ? Math.min(floor, position.settled()) : floor;
      }
    }
    Map<Node, Replayer> replayers = new LinkedHashMap<>();
    all.keySet().forEach(node -> replayers.put(node, new Replayer(role, node, fence)));
    try {
      for (CommitLog.Past past = commits.read(floor, Rejoin.CHUNK_BYTES);
          !past.entries().isEmpty();
          past = commits.read(past.next(), Rejoin.CHUNK_BYTES)) {
        for (Entry entry : past.entries()) {
          if (entry instanceof Entry.Commits commit) {
            for (Part part : commit.parts()) {
              Entry.Commits one =
                  new Entry.Commits(entry.number(), commit.settled(), List.of(part));
              level(one, part, past.dropped(), all, replayers);
            }
          }
        }
      }
    } finally {
      replayers.values().forEach(Replayer::close);
      given.forEach(
          (node, count) -> log.info("{} was given {} transactions that it missed", node, count));
    }
  }

  private void level(
      Entry.Commits entry,
      Part part,
      Map<Long, List<Integer>> dropped,
      Map<Node, Map<String, Position>> all,
      Map<Node, Replayer> replayers)
      throws IOException {
    boolean somewhere =
        all.keySet().stream()
            .anyMatch(node -> node.isIn() && has(all.get(node), entry.number(), part));
    for (Node node : all.keySet()) {
      if (!node.isIn()) {
        continue;
      }
      Misses misses = Misses.of(entry, all.get(node), dropped);
      try {
        if (misses.cannot() != null) {
          throw new Replayer.ReplayException(new Difference(Ejection.DIFFERS, misses.cannot()));
        }
        for (Part missing : misses.parts()) {
          log.debug("{} misses transaction {}", node, entry.number());
          // Nobody is served meanwhile. The last one is waited for.
          replayers
              .get(node)
              .hurry(fleet.in().size() > 1 ? shared.config().timeouts().applyMs() : 0);
          replayers.get(node).give(entry, missing);
          replayers.get(node).flush();
          all.get(node).get(part.database()).took(entry.number(), part.slot());
          given.merge(node, 1, Integer::sum);
          somewhere = true;
        }
      } catch (Replayer.ReplayException e) {
        if (!somewhere) {
          log.warn("Transaction {} is nowhere, and is dropped: {}", entry.number(), e.getMessage());
          Futures.await(commits.drop(entry.number(), part.slot()));
          return;
        }
        mustBeOut(node, fleet.eject(node, e.why()), e);
      } catch (IOException e) {
        mustBeOut(node, fleet.eject(node, e.getMessage()), e);
      }
    }
  }

  private static void mustBeOut(Node node, boolean out, IOException why) throws IOException {
    if (!out) {
      throw why;
    }
    node.setHas(Node.UNKNOWN);
  }

  private static boolean has(Map<String, Position> positions, long number, Part part) {
    Position position = positions.get(part.database());
    return position != null && position.has(number, part);
  }
}

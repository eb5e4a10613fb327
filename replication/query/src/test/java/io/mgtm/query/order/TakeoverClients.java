package io.mgtm.query.order;

import static io.mgtm.query.order.TakeoverParts.require;

import io.mgtm.query.order.TakeoverParts.Ask;
import io.mgtm.query.order.TakeoverParts.Fault;
import io.mgtm.query.order.TakeoverParts.Held;
import io.mgtm.query.order.TakeoverParts.Replicator;
import io.mgtm.query.order.TakeoverParts.Role;
import io.mgtm.query.order.TakeoverParts.Sent;
import io.mgtm.query.order.TakeoverParts.Server;
import io.mgtm.query.order.TakeoverParts.Transaction;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Clients of {@link TakeoverSimulation} that prepare by themselves, and end what others have
 * prepared.
 */
final class TakeoverClients {
  private final TakeoverSimulation simulation;
  private final TakeoverSessions sessions;

  /** Clients were told that these are prepared. */
  private final Set<UUID> promised = new HashSet<>();

  TakeoverClients(TakeoverSimulation simulation, TakeoverSessions sessions) {
    this.simulation = simulation;
    this.sessions = sessions;
  }

  private boolean is(Fault fault) {
    return simulation.fault() == fault;
  }

  // ---- sessions --------------------------------------------------------------------------------

  /** Somebody begins to end one, if there is one that nobody ends. */
  void endsOne(Replicator one, int slot) {
    List<Entry.Prepares> free =
        one.state.prepared().stream()
            .filter(prepared -> promised.contains(prepared.part().token()))
            .filter(prepared -> isFree(one, prepared.part().token()))
            .toList();
    if (!free.isEmpty()) {
      Part part = free.get(simulation.random().nextInt(free.size())).part();
      Role role = simulation.random().nextBoolean() ? Role.COMMITS : Role.ROLLS_BACK;
      one.sessions[slot] = new Transaction(one, slot, part.effects().getInt(0), part.token(), role);
    }
  }

  private static boolean isFree(Replicator one, UUID token) {
    return Arrays.stream(one.sessions).noneMatch(open -> open != null && token.equals(open.token));
  }

  void step(Transaction open) {
    if (open.role == Role.PREPARES && open.done == null && open.number == 0) {
      sessions.askLeader(open);
    } else if (open.number == 0) {
      append(open);
      if (is(Fault.PROMISED_BEFORE_IT_IS_COMMITTED) && open.role == Role.PREPARES) {
        promised.add(open.token);
      }
    } else if (!open.decided) {
      if (simulation.isDecided(open)) {
        open.decided = true;
        Ask ask = open.role == Role.PREPARES ? Ask.PREPARE : open.next();
        open.of.in.stream()
            .filter(server -> server != open.at)
            .forEach(server -> sessions.send(open, ask, server));
      }
    } else if (open.unanswered.isEmpty()) {
      boolean leads = open.at == open.of.in.get(0);
      if (!leads || open.role == Role.PREPARES) {
        ends(open);
      } else {
        sessions.askLeader(open);
      }
    }
  }

  private void append(Transaction open) {
    open.settled = open.of.settled();
    open.number = open.of.state.last() + 1;
    Part part = open.part(open.token);
    simulation.append(
        open.of,
        switch (open.role) {
          case PREPARES -> new Entry.Prepares(open.number, "gid", "alice", part);
          case COMMITS -> new Entry.Commits(open.number, open.settled, List.of(part));
          case ROLLS_BACK -> new Entry.RollsBack(open.number, open.token);
        });
  }

  /** One has done what it was asked. */
  void answered(Sent sent, Server server) {
    Transaction open = sent.of();
    boolean leads = server == open.of.in.get(0);
    if (sent.what() == Ask.COMMIT_PREPARED && !leads) {
      sessions.send(open, Ask.NOTE, server);
    } else if (leads
        && open.unanswered.isEmpty()
        && (sent.what() == Ask.NOTE || sent.what() == Ask.ROLLBACK_PREPARED)) {
      ends(open);
    }
  }

  private void ends(Transaction open) {
    if (open.role == Role.COMMITS) {
      sessions.acknowledge(open);
      return;
    }
    if (open.role == Role.PREPARES) {
      promised.add(open.token);
    }
    open.of.sessions[open.slot] = null;
  }

  /** A server was asked in vain. */
  void isNotDone(Sent sent, Server server, boolean leads) {
    boolean ends = sent.what() == Ask.COMMIT_PREPARED || sent.what() == Ask.ROLLBACK_PREPARED;
    boolean ours = leads && server.fence == sent.fence();
    require(sent.of().role == null || !ends || !ours, "what a client has prepared is not there");
  }

  // ---- servers ---------------------------------------------------------------------------------

  /** Whether a server has prepared again what clients have prepared. */
  boolean areTakenUp(Replicator by, Server server, long fence) {
    return is(Fault.WHAT_CLIENTS_HAVE_PREPARED_IS_NOT_TAKEN_UP) || areThere(by, server, fence);
  }

  /** The same of one that comes in. */
  boolean comeIn(Replicator by, Server server, long fence) {
    return is(Fault.COMES_IN_WITHOUT_WHAT_CLIENTS_HAVE_PREPARED) || areThere(by, server, fence);
  }

  private boolean areThere(Replicator by, Server server, long fence) {
    boolean all = server.fence == fence || is(Fault.NO_FENCE);
    if (all && !is(Fault.WHAT_CLIENTS_HAVE_PREPARED_STAYS_AS_IT_IS)) {
      server.rollBackPrepared(fence);
    }
    for (Entry.Prepares one : all ? by.state.prepared() : List.<Entry.Prepares>of()) {
      Part part = one.part();
      Held held = new Held(part.effects().getInt(0), fence, true);
      all &= server.prepared.containsKey(part.token()) || server.prepare(part.token(), held);
    }
    return all;
  }

  /** As if only the replicator's own were known. */
  void rollBackOwn(Server server) {
    Map<UUID, Held> all = new HashMap<>(server.prepared);
    all.forEach(
        (token, held) -> {
          if (!held.ofClient()) {
            server.rollBack(token);
          }
        });
  }

  // ---- what must hold --------------------------------------------------------------------------

  /** What was promised stands in the log, nobody wrote its row meanwhile, and all have it. */
  void check(List<Entry> committed, Replicator leader) {
    Map<Integer, UUID> locked = new HashMap<>();
    Map<UUID, Integer> known = new HashMap<>();
    for (Entry entry : committed) {
      if (entry instanceof Entry.Prepares prepares) {
        int key = prepares.part().effects().getInt(0);
        known.put(prepares.part().token(), key);
        require(locked.put(key, prepares.part().token()) == null, "a row is prepared twice");
      } else if (entry instanceof Entry.RollsBack rollsBack) {
        locked.remove(known.get(rollsBack.token()), rollsBack.token());
      } else if (entry instanceof Entry.Commits commits) {
        Part part = commits.parts().get(0);
        UUID by = locked.get(part.effects().getInt(0));
        require(by == null || by.equals(part.token()), "a row that is prepared was written");
        locked.remove(part.effects().getInt(0));
      }
    }
    require(known.keySet().containsAll(promised), "what was promised is lost");
    for (Server server : leader.in) {
      require(
          server.prepared.keySet().equals(new HashSet<>(locked.values())),
          "a server has not prepared what it must have");
    }
  }
}

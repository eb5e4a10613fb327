package io.mgtm.query.order;

import static io.mgtm.query.order.TakeoverParts.require;

import io.mgtm.query.order.TakeoverParts.Ask;
import io.mgtm.query.order.TakeoverParts.Fault;
import io.mgtm.query.order.TakeoverParts.Replicator;
import io.mgtm.query.order.TakeoverParts.Role;
import io.mgtm.query.order.TakeoverParts.Sent;
import io.mgtm.query.order.TakeoverParts.Server;
import io.mgtm.query.order.TakeoverParts.Transaction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Sessions of {@link TakeoverSimulation}, and what servers answer them. */
final class TakeoverSessions {
  private final TakeoverSimulation simulation;
  private final TakeoverClients clients;
  private final Map<Integer, Integer> acknowledged = new HashMap<>();
  private final Set<Long> acknowledgedNumbers = new HashSet<>();

  TakeoverSessions(TakeoverSimulation simulation) {
    this.simulation = simulation;
    this.clients = new TakeoverClients(simulation, this);
  }

  TakeoverClients clients() {
    return clients;
  }

  /** What must hold when all is over. */
  void check(List<Entry> committed, Replicator leader) {
    TakeoverParts.check(committed, acknowledged, acknowledgedNumbers, leader);
    clients.check(committed, leader);
  }

  void read(Replicator one) {
    if (!one.serves || !one.lease) {
      return;
    }
    for (Server server : one.in) {
      acknowledged.forEach(
          (key, count) ->
              require(server.counters.getOrDefault(key, 0) >= count, "a read misses one"));
    }
  }

  void step(Replicator one, int slot) {
    Transaction open = one.sessions[slot];
    if (open == null && simulation.random().nextInt(3) == 0) {
      clients.endsOne(one, slot);
    } else if (open == null) {
      int key = simulation.random().nextInt(TakeoverSimulation.KEYS);
      if (one.in.stream().noneMatch(server -> server.locks.containsKey(key))) {
        UUID token =
            simulation.random().nextBoolean() ? new UUID(0, simulation.random().nextLong()) : null;
        Role role = token != null && simulation.random().nextBoolean() ? Role.PREPARES : null;
        Transaction begun = new Transaction(one, slot, key, token, role);
        one.in.forEach(server -> server.locks.put(key, begun));
        one.sessions[slot] = begun;
      }
    } else if (open.role != null) {
      clients.step(open);
    } else if (open.next() == Ask.PREPARE) {
      askLeader(open);
    } else if (open.number == 0) {
      open.settled = one.settled();
      open.number = one.state.last() + 1;
      Part part =
          open.part(simulation.fault() == Fault.TOKENS_ARE_NOT_LOOKED_AT ? null : open.token);
      simulation.append(one, new Entry.Commits(open.number, open.settled, List.of(part)));
    } else if (!open.decided) {
      if (simulation.isDecided(open)) {
        open.decided = true;
        one.in.stream()
            .filter(server -> server != open.at)
            .forEach(server -> send(open, Ask.COMMIT, server));
      }
    } else if (open.unanswered.isEmpty() && open.at != one.in.get(0)) {
      acknowledge(open); // Who led is out, and all others have it.
    } else if (open.unanswered.isEmpty()) {
      askLeader(open);
    }
  }

  void askLeader(Transaction open) {
    if (open.asked != open.next()) {
      open.asked = open.next();
      send(open, open.asked, open.at);
    }
  }

  void send(Transaction open, Ask what, Server to) {
    open.unanswered.add(to);
    to.arriving.add(new Sent(open, what, open.settled, open.of.fences.get(to)));
  }

  void arrives(Server server) {
    if (server.arriving.isEmpty()) {
      return;
    }
    Sent sent = server.arriving.remove(simulation.random().nextInt(server.arriving.size()));
    Transaction open = sent.of();
    boolean alive = server.knows(sent);
    boolean does = alive && server.does(sent);
    Replicator one = open.of;
    if (one.sessions[open.slot] != open || !one.in.contains(server)) {
      return;
    }
    if (!does) {
      clients.isNotDone(sent, server, simulation.isLeader(one));
      // Who leads no more may still end the transactions of others, as their connections break.
      require(
          !alive || !simulation.isLeader(one) || simulation.fault() != Fault.NONE,
          "a commit of the leader's was refused");
      simulation.hears(one);
      return;
    }
    open.unanswered.remove(server);
    boolean leads = server == one.in.get(0);
    open.done = leads ? sent.what() : open.done;
    if (open.role != null) {
      clients.answered(sent, server);
      return;
    }
    boolean last = sent.what() == Ask.NOTE || (sent.what() == Ask.COMMIT && open.token == null);
    if (leads && last && open.unanswered.isEmpty()) {
      acknowledge(open);
    }
  }

  void acknowledge(Transaction open) {
    acknowledged.merge(open.key, 1, Integer::sum);
    acknowledgedNumbers.add(open.number);
    open.of.sessions[open.slot] = null;
  }
}

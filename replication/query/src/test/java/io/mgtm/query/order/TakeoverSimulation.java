package io.mgtm.query.order;

import static io.mgtm.query.order.TakeoverParts.DATABASE;
import static io.mgtm.query.order.TakeoverParts.SLOTS;

import io.mgtm.query.order.TakeoverParts.Fault;
import io.mgtm.query.order.TakeoverParts.Replicator;
import io.mgtm.query.order.TakeoverParts.Role;
import io.mgtm.query.order.TakeoverParts.Server;
import io.mgtm.query.order.TakeoverParts.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Several replicators that keep the log as a group, of which one leads after the other, while those
 * that led before go on for a while: at the order of steps that replicators keep to. The group is
 * taken as it promises to be: a leader has all that was committed, and what another has appended
 * after that is lost, or is not.
 */
final class TakeoverSimulation {
  private static final int REPLICATORS = 3;
  private static final int SERVERS = 3;
  private static final int SPARE = 2;
  static final int KEYS = 3;

  private final Random random;
  private final Fault fault;
  private final List<Server> servers = new ArrayList<>();
  private final List<Replicator> replicators = new ArrayList<>();
  private final TakeoverSessions sessions = new TakeoverSessions(this);
  private final TakeoverClients clients = sessions.clients();
  private List<Entry> committed = new ArrayList<>();
  private Replicator leader;

  TakeoverSimulation(long seed, Fault fault) {
    this.random = new Random(seed);
    this.fault = fault;
    for (int i = 0; i < SERVERS + SPARE; i++) {
      servers.add(new Server("s" + i));
    }
    for (int i = 0; i < SERVERS; i++) {
      committed.add(new Entry.Server(i + 1, servers.get(i).name, ServerState.in(0)));
      servers.get(i).copied = true;
    }
    for (int i = 0; i < REPLICATORS; i++) {
      replicators.add(new Replicator());
    }
    elect(replicators.get(0));
  }

  /** Runs for a while, and lets all come back. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      Replicator one = random(replicators);
      int what = random.nextInt(100);
      if (what < 1) {
        elect(one);
      } else if (what < 3) {
        one.lease &= one == leader;
      } else if (what < 5 && one != leader) {
        hears(one);
      } else if (what < 20) {
        commitNext();
      } else if (what < 22) {
        putOut(one, random(servers), ServerState.Status.AWAY);
      } else if (what < 23) {
        putOut(one, random(servers), ServerState.Status.REMOVED);
      } else if (what < 25) {
        copy(random(servers));
      } else if (what < 29) {
        comesIn(random(servers));
      } else if (what < 50) {
        sessions.arrives(random(servers));
      } else if (what < 58) {
        sessions.read(one);
      } else if (what < 59) {
        watch();
      } else if (one.leads && !one.serves) {
        takeOver(one);
      } else if (one.serves) {
        sessions.step(one, random.nextInt(SLOTS));
      }
    }
    settleAll();
    sessions.check(committed, leader);
  }

  private void settleAll() {
    elect(leader);
    replicators.stream().filter(one -> one != leader).forEach(this::hears);
    for (int i = 0; i < 100 && !leader.hasAllIn(); i++) {
      servers.stream().filter(server -> random.nextBoolean()).forEach(sessions::arrives);
      commitNext();
      takeOver(leader);
      servers.stream().filter(leader::knows).forEach(this::comesIn);
    }
    for (Server server : servers) {
      while (!server.arriving.isEmpty()) {
        sessions.arrives(server);
      }
    }
    watch();
  }

  /** What others have prepared is rolled back. */
  private void watch() {
    if (leader.serves && fault != Fault.NOBODY_LOOKS_FOR_WHAT_IS_PREPARED) {
      leader.in.forEach(server -> server.rollBackPrepared(leader.fences.get(server)));
    }
  }

  private <T> T random(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  // ---- the group -------------------------------------------------------------------------------

  /** It has all that was committed, and perhaps some of what was only appended. */
  private void elect(Replicator next) {
    if (leader != null) {
      int has = committed.size() + random.nextInt(leader.log.size() - committed.size() + 1);
      committed = new ArrayList<>(leader.log.subList(0, has));
    }
    if (fault != Fault.SESSIONS_OUTLIVE_A_TENURE || next.log.size() <= committed.size()) {
      hears(next);
    }
    leader = next;
    next.log.clear();
    next.log.addAll(committed);
    next.state = new OrderState();
    int older = fault == Fault.BEGIN_WITH_AN_OLDER_LOG ? random.nextInt(2) : 0;
    committed.subList(0, Math.max(0, committed.size() - older)).forEach(next.state::apply);
    next.serves = false;
    next.fence = 0;
    next.taken = 0;
    next.leads = true;
    next.lease = true;
    next.in.clear();
    Map<String, ServerState> known = next.state.servers();
    servers.stream()
        .filter(one -> known.containsKey(one.name) && known.get(one.name).isIn())
        .forEach(next.in::add);
  }

  /** It does not lead any more, and knows it: its connections to servers end. */
  void hears(Replicator one) {
    for (int slot = 0; slot < SLOTS; slot++) {
      Transaction open = one.sessions[slot];
      if (open != null) {
        if (fault == Fault.IN_DOUBT_IS_DONE && open.number > 0 && !open.decided) {
          sessions.acknowledge(open);
        }
        servers.forEach(server -> server.closes(open));
        one.sessions[slot] = null;
      }
    }
    one.leads = false;
    one.lease = false;
    one.serves = false;
    one.fence = 0;
    one.taken = 0;
  }

  Fault fault() {
    return fault;
  }

  Random random() {
    return random;
  }

  boolean isLeader(Replicator one) {
    return one == leader;
  }

  void append(Replicator by, Entry entry) {
    Entry decoded = Entry.decoded(entry.encoded());
    by.state.apply(decoded);
    by.log.add(decoded);
  }

  /** A majority has one entry more of the leader's. */
  private void commitNext() {
    if (leader.log.size() > committed.size()) {
      committed.add(leader.log.get(committed.size()));
    }
  }

  /** It stands in the log, for a replicator that leads. */
  boolean isDecided(Transaction open) {
    return (open.of == leader && isCommitted(open.number))
        || fault == Fault.SEND_BEFORE_IT_IS_COMMITTED;
  }

  private boolean isCommitted(long number) {
    return committed.stream().anyMatch(entry -> entry.number() == number);
  }

  private long lastCommitted() {
    return committed.isEmpty() ? 0 : committed.get(committed.size() - 1).number();
  }

  // ---- a takeover ------------------------------------------------------------------------------

  /** The next step of it. */
  private void takeOver(Replicator one) {
    if (!one.leads || one.serves) {
      return;
    }
    if (one.fence == 0) {
      long found =
          servers.stream().mapToLong(s -> s.positions().get(DATABASE).highest()).max().orElse(0);
      one.fence = 1 + Math.max(found, one.state.last());
      append(one, new Entry.Fence(one.fence));
    } else if (isCommitted(one.fence) && (one == leader || one.taken > 0)) {
      // Who is not the leader any more may go on with what it has begun.
      go(one);
    }
  }

  private void go(Replicator one) {
    if (one.taken < one.in.size()) {
      fence(one.in.get(one.taken), one, one.fence);
      one.taken++;
    } else if (one.taken == one.in.size() && fault != Fault.SERVE_BEFORE_ALL_IS_THERE) {
      boolean all = true;
      for (Server server : one.in) {
        boolean has = replay(one, server, one.fence) && clients.areTakenUp(one, server, one.fence);
        if (!has && server.fence == one.fence) {
          // It is put out when that takes too long, and is taken over as it comes back.
          server.rollBackPrepared(one.fence);
        }
        all &= has;
      }
      one.taken += all ? 1 : 0;
    } else {
      if (fault != Fault.SERVE_BEFORE_ALL_IS_THERE) {
        one.in.forEach(server -> reached(one, server, one.fence));
      }
      one.serves = true;
    }
  }

  /** Others' commits fail from now on; most of their transactions are ended. */
  private void fence(Server server, Replicator by, long fence) {
    for (Object holder : List.copyOf(server.locks.values())) {
      if (holder instanceof Transaction other && other.of != by && random.nextInt(3) > 0) {
        server.locks.values().remove(other);
        server.arriving.removeIf(sent -> sent.of() == other);
      }
    }
    if (fault == Fault.WHAT_CLIENTS_HAVE_PREPARED_STAYS_AS_IT_IS) {
      clients.rollBackOwn(server);
    } else if (fault != Fault.POSITION_READ_BEFORE_WHAT_IS_PREPARED_IS_ROLLED_BACK) {
      server.rollBackPrepared(0);
    }
    if (fault != Fault.NO_FENCE) {
      server.fence = Math.max(server.fence, fence);
    }
    by.fences.put(server, fault == Fault.NO_FENCE ? server.fence : fence);
    by.positions.put(server, server.positions());
  }

  /** Whether it has all now; false when it waits for a lock, or another has taken it over. */
  private boolean replay(Replicator by, Server server, long fence) {
    if (fault == Fault.POSITION_READ_BEFORE_WHAT_IS_PREPARED_IS_ROLLED_BACK) {
      server.rollBackPrepared(0);
    }
    Map<String, Position> positions = by.positions.get(server);
    long above = positions.get(DATABASE).settled();
    for (Entry entry : List.copyOf(by.log)) {
      if (entry.number() > above && entry.number() <= by.state.last()) {
        for (Part part : Misses.of(entry, positions, by.state.dropped()).parts()) {
          boolean may = fault == Fault.NO_FENCE || server.fence == fence;
          if (!may || (!part.isCommitted() && !server.writes(part, entry.number()))) {
            return false;
          }
          server.note(part.slot(), part.token(), entry.number(), ((Entry.Commits) entry).settled());
          positions.get(DATABASE).took(entry.number(), part.slot());
        }
      }
    }
    return true;
  }

  private void reached(Replicator by, Server server, long fence) {
    if (server.fence == fence || fault == Fault.NO_FENCE) {
      long last = by == leader ? lastCommitted() : by.fence;
      server.settled = Math.max(server.settled, last);
    }
  }

  // ---- servers out and in ----------------------------------------------------------------------

  /** A copy is made of one that is in, while everybody goes on. */
  private void copy(Server server) {
    if (leader.serves && !leader.in.isEmpty() && !leader.knows(server)) {
      server.isCopyOf(random(leader.in));
    }
  }

  /** For a while, or for good: then it may be emptied. */
  private void putOut(Replicator one, Server server, ServerState.Status status) {
    boolean others = replicators.stream().anyMatch(other -> other != one && other.lease);
    if (!one.serves
        || one.in.size() == 1
        || !one.in.contains(server)
        || (others && fault != Fault.PUT_OUT_UNDER_ANOTHERS_LEASE)) {
      return;
    }
    long number = one.state.last() + 1;
    append(one, new Entry.Server(number, server.name, new ServerState(status, "", 0)));
    if (one != leader) {
      return; // It waits for ever.
    }
    while (!isCommitted(number)) {
      commitNext();
    }
    boolean led = one.in.get(0) == server;
    one.in.remove(server);
    for (int slot = 0; slot < SLOTS; slot++) {
      Transaction open = one.sessions[slot];
      if (open != null) {
        server.closes(open);
        open.unanswered.remove(server);
        if (led && open.number == 0) {
          gives(one, slot);
        }
      }
    }
  }

  /** An open transaction is undone. */
  private void gives(Replicator one, int slot) {
    Transaction open = one.sessions[slot];
    servers.forEach(server -> server.closes(open));
    if (open.role == null || open.role == Role.PREPARES) {
      open.at.rollBack(open.token);
    }
    one.sessions[slot] = null;
  }

  /** One that was away, or a copy that is none of the servers yet. */
  private void comesIn(Server server) {
    Replicator one = leader;
    if (!one.serves || one.in.contains(server) || !one.isQuiet() || !server.copied) {
      return;
    }
    boolean isNew = !one.knows(server);
    if (fault == Fault.POSITION_READ_AFTER_THE_SNAPSHOT && isNew) {
      server.hasPositionOf(one.in.get(0));
    }
    long fence = one.state.last() + 1;
    append(one, new Entry.Fence(fence));
    while (committed.size() < one.log.size()) {
      commitNext();
    }
    fence(server, one, fence);
    boolean early = fault == Fault.ADDED_BEFORE_ALL_IS_THERE && isNew;
    if (early || (replay(one, server, fence) && clients.comeIn(one, server, fence))) {
      reached(one, server, fence);
      for (int slot = 0; slot < SLOTS; slot++) {
        if (one.sessions[slot] != null) {
          gives(one, slot);
        }
      }
      append(one, new Entry.Server(one.state.last() + 1, server.name, ServerState.in(0)));
      while (committed.size() < one.log.size()) {
        commitNext();
      }
      one.in.add(server);
    }
  }
}

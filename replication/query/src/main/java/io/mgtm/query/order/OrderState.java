package io.mgtm.query.order;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What the log's entries lead to: the last number, which servers are in, in the order in which they
 * would lead, which transactions were dropped, and which clients have prepared. One thread.
 */
public final class OrderState {
  /** Entries that are older are out of every log. */
  private static final int DROPPED_MAX = 10_000;

  private static final int FENCES_MAX = 1_000;

  private final Map<String, ServerState> servers = new LinkedHashMap<>();
  private final TreeMap<Long, List<Integer>> dropped = new TreeMap<>();
  private final TreeSet<Long> fences = new TreeSet<>();
  private final Map<String, String> addresses = new HashMap<>();

  /** What clients have prepared and not ended, in the order of their numbers. */
  private final Map<UUID, Entry.Prepares> prepared = new LinkedHashMap<>();

  /** Who has said last that it leads, and the key by which others forward clients to it. */
  private String leader = "";

  private String key = "";
  private long last;
  private long settled;
  private long lastCommits;

  /** The number of the last entry, 0 for none. */
  public long last() {
    return last;
  }

  /** All entries up to this number were at all servers that were in when the last was made. */
  public long settled() {
    return settled;
  }

  /** Whether the log says of all transactions that they are at all servers that were in. */
  public boolean isSettled() {
    return settled >= lastCommits;
  }

  /**
   * Whether a log tells what servers that are in may miss.
   *
   * @param first the lowest number that it has still
   */
  public boolean tellsFrom(long first) {
    return isSettled() || first <= settled + 1;
  }

  /** The number of the last transactions. */
  public long lastCommits() {
    return lastCommits;
  }

  /** Whether a replicator of this log has fenced servers with a number; it may, for an old one. */
  public boolean mayHaveFenced(long with) {
    return fences.contains(with) || (fences.size() == FENCES_MAX && with < fences.first());
  }

  /** Where clients connect to a replicator that has led, or null. */
  public String addressOf(String name) {
    return addresses.get(name);
  }

  /** The key of a replicator that serves clients; empty while it does not, or another leads. */
  public String keyOf(String name) {
    return name.equals(leader) ? key : "";
  }

  /** What clients have prepared and not ended, in the order of their numbers. */
  public List<Entry.Prepares> prepared() {
    return List.copyOf(prepared.values());
  }

  /** Whether a client has prepared it, and has not ended it. */
  public boolean isPrepared(UUID token) {
    return prepared.containsKey(token);
  }

  /** All there are, by address, in the order in which they came in; the first that is in leads. */
  public Map<String, ServerState> servers() {
    return new LinkedHashMap<>(servers);
  }

  /** The slots of transactions that were dropped, by number. */
  public Map<Long, List<Integer>> dropped() {
    Map<Long, List<Integer>> copy = new HashMap<>();
    dropped.forEach((number, slots) -> copy.put(number, List.copyOf(slots)));
    return copy;
  }

  /**
   * The next entry.
   *
   * @throws IllegalStateException when its number is not above that of the last
   */
  public void apply(Entry entry) {
    if (entry.number() <= last) {
      throw new IllegalStateException(
          "an entry of number %d after %d".formatted(entry.number(), last));
    }
    last = entry.number();
    if (entry instanceof Entry.Commits commits) {
      settled = Math.max(settled, commits.settled());
      lastCommits = last;
      commits.parts().forEach(part -> prepared.remove(part.token()));
    } else if (entry instanceof Entry.Settled all) {
      settled = Math.max(settled, all.upTo());
    } else if (entry instanceof Entry.Server server) {
      if (server.state().isIn()) {
        servers.remove(server.address());
      }
      servers.put(server.address(), server.state());
      servers.values().removeIf(state -> state.status() == ServerState.Status.REMOVED);
    } else if (entry instanceof Entry.Fence) {
      fences.add(last);
      if (fences.size() > FENCES_MAX) {
        fences.pollFirst();
      }
    } else if (entry instanceof Entry.Dropped one) {
      dropped.computeIfAbsent(one.of(), of -> new ArrayList<>()).add(one.slot());
      if (dropped.size() > DROPPED_MAX) {
        dropped.pollFirstEntry();
      }
    } else if (entry instanceof Entry.Leads leads) {
      addresses.put(leads.name(), leads.address());
      leader = leads.name();
      key = leads.key();
    } else if (entry instanceof Entry.Prepares prepares) {
      prepared.put(prepares.part().token(), prepares.copy());
    } else if (entry instanceof Entry.RollsBack rollsBack) {
      prepared.remove(rollsBack.token());
    }
  }

  /** All of it. */
  public ByteBuffer encoded() {
    Codec.Out out = new Codec.Out().kind(0, last).i64(settled).i32(servers.size());
    servers.forEach(
        (address, state) -> {
          out.text(address);
          state.write(out);
        });
    out.i32(dropped.size());
    dropped.forEach(
        (number, slots) -> {
          out.i64(number).i32(slots.size());
          slots.forEach(out::i32);
        });
    out.i32(fences.size());
    fences.forEach(out::i64);
    out.i32(addresses.size());
    addresses.forEach((name, address) -> out.text(name).text(address));
    out.i64(lastCommits);
    out.text(leader).text(key);
    out.i32(prepared.size());
    for (Entry.Prepares one : prepared.values()) {
      ByteBuffer bytes = one.encoded();
      out.i32(bytes.remaining()).bytes(bytes);
    }
    return out.done();
  }

  /** One of {@link #encoded}. */
  public static OrderState decoded(ByteBuffer encoded) {
    Codec.In in = new Codec.In(encoded);
    in.kind();
    OrderState state = new OrderState();
    state.last = in.i64();
    state.settled = in.i64();
    for (int left = in.i32(); left > 0; left--) {
      state.servers.put(in.text(), ServerState.read(in));
    }
    for (int left = in.i32(); left > 0; left--) {
      long number = in.i64();
      List<Integer> slots = new ArrayList<>();
      for (int more = in.i32(); more > 0; more--) {
        slots.add(in.i32());
      }
      state.dropped.put(number, slots);
    }
    for (int left = in.i32(); left > 0; left--) {
      state.fences.add(in.i64());
    }
    for (int left = in.hasMore() ? in.i32() : 0; left > 0; left--) {
      state.addresses.put(in.text(), in.text());
    }
    state.lastCommits = in.hasMore() ? in.i64() : state.last;
    state.leader = in.hasMore() ? in.text() : "";
    state.key = in.hasMore() ? in.text() : "";
    for (int left = in.hasMore() ? in.i32() : 0; left > 0; left--) {
      Entry.Prepares one = (Entry.Prepares) Entry.decoded(in.bytes(in.i32()));
      state.prepared.put(one.part().token(), one);
    }
    return state;
  }

  /** Takes over what another has. */
  public void replaceBy(OrderState other) {
    last = other.last;
    settled = other.settled;
    lastCommits = other.lastCommits;
    servers.clear();
    servers.putAll(other.servers);
    dropped.clear();
    dropped.putAll(other.dropped);
    fences.clear();
    fences.addAll(other.fences);
    addresses.clear();
    addresses.putAll(other.addresses);
    prepared.clear();
    prepared.putAll(other.prepared);
    leader = other.leader;
    key = other.key;
  }
}

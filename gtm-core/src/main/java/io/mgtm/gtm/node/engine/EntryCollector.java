package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Puts together, from what gateways present to a new leader of mode lazy, what the leader before
 * had given and this one lacks: a run of entries that follows what is here without gap, the same
 * bytes from whoever presents them. No I/O, no time.
 *
 * <p>A gateway has had everything up to the last entry that it presents, or that was stable. So a
 * gateway whose entries all lie within the run has seen nothing that is not in it.
 */
final class EntryCollector {

  /** A gateway, whatever its links and sessions. */
  record GatewayId(String name, GatewayKind kind) {}

  /**
   * What came of it.
   *
   * @param entries to be applied, in this order
   * @param lost gateways that may have seen more
   */
  record Result(List<byte[]> entries, Set<GatewayId> lost) {}

  private final long term;
  private final long have;
  private final Set<GatewayId> awaited;
  private final Set<GatewayId> lost = new HashSet<>();
  private final TreeMap<Long, byte[]> entries = new TreeMap<>();
  private final Map<GatewayId, Long> seen = new HashMap<>();
  private long agreed = Long.MAX_VALUE;
  private long bytes;

  /**
   * Nothing has come yet.
   *
   * @param term that of the leader before
   * @param have how many of its entries are here
   * @param gateways those that may have been given more
   */
  EntryCollector(long term, long have, Collection<GatewayId> gateways) {
    this.term = term;
    this.have = have;
    this.awaited = new HashSet<>(gateways);
  }

  /**
   * A gateway presents entries. Those of an older term say nothing; one that has some of a newer
   * term has seen what this member knows nothing of.
   */
  void present(GatewayId gateway, LinkEntries presented) {
    if (presented.term() > term) {
      lost.add(gateway);
    }
    if (presented.term() != term) {
      return;
    }
    seen.merge(gateway, presented.last(), Math::max);
    long number = presented.first();
    for (byte[] entry : presented.entries()) {
      if (number > have && number != LinkEntries.FIRST_OF_TERM) {
        add(number, entry);
      }
      number++;
    }
  }

  private void add(long number, byte[] entry) {
    byte[] known = entries.get(number);
    if (known != null) {
      if (!Arrays.equals(known, entry)) {
        agreed = Math.min(agreed, number - 1);
      }
    } else if (bytes + entry.length <= LinkFormat.ENTRIES_BYTES_MAX) {
      entries.put(number, entry);
      bytes += entry.length;
    }
  }

  /** A gateway has presented all that it has. */
  void heard(GatewayId gateway) {
    awaited.remove(gateway);
  }

  /** Whether nobody is waited for. */
  boolean isComplete() {
    return awaited.isEmpty();
  }

  /** The number of the first entry that two gateways have different bytes of; 0 for none. */
  long contradictedAt() {
    return agreed == Long.MAX_VALUE ? 0 : agreed + 1;
  }

  /** Ends it: those that are still waited for are lost. */
  Result finish() {
    List<byte[]> run = new ArrayList<>();
    long end = have;
    while (end < agreed && entries.containsKey(end + 1)) {
      end++;
      run.add(entries.get(end));
    }
    lost.addAll(awaited);
    for (Map.Entry<GatewayId, Long> gateway : seen.entrySet()) {
      if (gateway.getValue() > end) {
        lost.add(gateway.getKey());
      }
    }
    return new Result(run, Set.copyOf(lost));
  }
}

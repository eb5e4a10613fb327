package io.mgtm.group.net;

import io.mgtm.group.GroupMode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jgroups.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes that send to this member and are of a group with another name, or of this one in
 * another mode: the mode is part of the cluster's name. Any thread.
 */
final class OtherClusters {
  private static final Logger log = LoggerFactory.getLogger(OtherClusters.class);

  /** Discovery and merging send more often. */
  private static final long LASTS_MS = 15_000;

  private static final int SENDERS_MAX = 64;

  private record Heard(String sentence, long untilMs) {}

  private final String member;
  private final String cluster;
  private final LongSupplier clockMs;
  private final Map<String, Heard> bySender = new ConcurrentHashMap<>();

  /**
   * None yet.
   *
   * @param cluster this member's, mode included
   */
  OtherClusters(String member, String cluster, LongSupplier clockMs) {
    this.member = member;
    this.cluster = cluster;
    this.clockMs = clockMs;
  }

  /** A process of another cluster has connected, or was connected to. */
  void heard(Address from, String theirs) {
    String name = MemberAddress.nameOf(from);
    String sender = name.isEmpty() ? from.toString() : name;
    if (bySender.size() >= SENDERS_MAX && !bySender.containsKey(sender)) {
      return;
    }
    String sentence = sentence(sender, theirs);
    if (bySender.put(sender, new Heard(sentence, clockMs.getAsLong() + LASTS_MS)) == null) {
      log.warn("Member {}: {}", member, sentence);
    }
  }

  private String sentence(String sender, String theirs) {
    String own = mode(cluster);
    String other = mode(theirs);
    boolean sameName =
        !own.isEmpty()
            && !other.isEmpty()
            && cluster
                .substring(0, cluster.length() - own.length())
                .equals(theirs.substring(0, theirs.length() - other.length()));
    return sameName
        ? "%s runs in mode %s and this member in mode %s, so they do not hear each other; start all with the same --mode"
            .formatted(sender, other, own)
        : "%s is of the group %s and this member of %s; give them the same name, or other addresses"
            .formatted(sender, theirs, cluster);
  }

  /** The mode at the end of a cluster's name, empty when there is none. */
  private static String mode(String cluster) {
    for (GroupMode mode : GroupMode.values()) {
      if (cluster.endsWith('-' + mode.label())) {
        return mode.label();
      }
    }
    return "";
  }

  /** A sentence for an operator about each that was heard of late. */
  List<String> sentences() {
    long now = clockMs.getAsLong();
    bySender.values().removeIf(heard -> now >= heard.untilMs());
    return bySender.values().stream().map(Heard::sentence).sorted().toList();
  }
}

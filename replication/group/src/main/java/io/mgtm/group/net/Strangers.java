package io.mgtm.group.net;

import io.mgtm.group.GroupMode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes that this member is connected with and that are of another group, or of this one in
 * another mode, which is part of the cluster's name, or with another secret. Any thread.
 */
final class Strangers {
  private static final Logger log = LoggerFactory.getLogger(Strangers.class);

  /** Discovery and merging send more often. */
  private static final long LASTS_MS = 15_000;

  private static final int SENDERS_MAX = 64;

  private record Heard(String sentence, long untilMs) {}

  private final String member;
  private final String cluster;
  private final String secret;
  private final LongSupplier clockMs;
  private final Map<String, Heard> bySender = new ConcurrentHashMap<>();

  /**
   * None yet.
   *
   * @param cluster this member's, mode included
   * @param secret the fingerprint of this member's, "" without one
   */
  Strangers(String member, String cluster, String secret, LongSupplier clockMs) {
    this.member = member;
    this.cluster = cluster;
    this.secret = secret;
    this.clockMs = clockMs;
  }

  /** Whether a process is one, that has connected or was connected to. */
  boolean isStranger(Hello hello) {
    String name = MemberAddress.nameOf(hello.from());
    String sender = name.isEmpty() ? hello.from().toString() : name;
    if (!hello.cluster().equals(cluster)) {
      heard(sender, otherCluster(sender, hello.cluster()));
      return true;
    }
    if (!hello.secret().orElse(secret).equals(secret)) {
      heard(sender, otherSecret(sender, hello.secret().orElseThrow()));
      return true;
    }
    return false;
  }

  private void heard(String sender, String sentence) {
    if (bySender.size() >= SENDERS_MAX && !bySender.containsKey(sender)) {
      return;
    }
    if (bySender.put(sender, new Heard(sentence, clockMs.getAsLong() + LASTS_MS)) == null) {
      log.warn("Member {}: {}", member, sentence);
    }
  }

  private String otherSecret(String sender, String theirs) {
    if (secret.isEmpty()) {
      return sender
          + " has a group.secretFile, and this member has none; set it on all members, or on none";
    }
    return theirs.isEmpty()
        ? sender
            + " has no group.secretFile, and this member has one; set it on all members, or on none"
        : sender
            + " has another secret in group.secretFile than this member; give all members the same file";
  }

  private String otherCluster(String sender, String theirs) {
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

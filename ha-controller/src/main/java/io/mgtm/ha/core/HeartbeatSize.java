package io.mgtm.ha.core;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Resource;
import java.util.Collection;
import java.util.Map;

/**
 * How long the messages between nodes may become, as JSON: one that does not fit into a datagram
 * would cost all nodes their leases. Names are counted as they are, everything else at its longest.
 * What people are shown has what is left.
 */
public final class HeartbeatSize {
  /** What UDP carries at most. */
  public static final int DATAGRAM_BYTES_MAX = 65_507;

  /** What a message is sealed with, and a little more. */
  private static final int SEAL_BYTES = 64;

  /** So much is kept for facts, and for sentences, at least. */
  static final int ROOM_BYTES_MIN = 4_096;

  private static final int LONG = 20;
  private static final int UUID = 36;
  private static final int INT = 10;

  /** More placements of one hierarchy than come to pass. */
  private static final int EPOCH = 13;

  /** Around the names of cluster and node, and the reports. */
  private static final int HEAD =
      "{'cluster':'','node':'','incarnation':,'seq':,'sentAt':,'seen':{'term':,'version':},'answered':,'reports':{}}"
              .length()
          + 7 * LONG;

  /** A text's characters take up to six bytes each in JSON. */
  private static final int DISK =
      ",'disk':{'disk':'','slot':,'number':,'wrong':''}".length()
          + UUID
          + INT
          + LONG
          + 6 * DiskReport.TEXT_MAX;

  private static final int REPORT =
      "'':{'state':'RECOVERING','epoch':,'recoveries':,'failed':'','detail':'...','served':true,'resources':{},'copies':{},'facts':{}},"
              .length()
          + EPOCH
          + INT;
  private static final int STATE = "'':'STARTING',".length();
  private static final int FACTS = "'':{},".length();
  private static final int MARK =
      "'mark':{'epoch':,'incarnation':,'count':,'joins':},".length() + EPOCH + 3 * LONG;
  private static final int COPY =
      "'':{'copy':'',,'inSync':[],'following':[]},".length() + 32 + MARK;
  private static final int ORDER =
      "'':{'run':false,'epoch':,'repair':false,'marks':{}},".length() + EPOCH;
  private static final int COPIES =
      "'':{,'upToDate':[],'following':[],'outdated':{}},".length() + MARK;
  private static final int QUOTES = "'',".length();

  /** The kit whose resources have copies. */
  private static final String REPLICATED = "volume";

  private HeartbeatSize() {}

  /** Why a configuration is not possible; empty when it is. */
  public static String refusal(ClusterConfig config) {
    for (String node : config.nodes().keySet()) {
      Collection<Map.Entry<String, Hierarchy>> own =
          config.hierarchies().entrySet().stream()
              .filter(each -> each.getValue().nodes().contains(node))
              .toList();
      int bytes = 2 * ROOM_BYTES_MIN + head(config, node);
      for (Map.Entry<String, Hierarchy> each : own) {
        bytes += of(each.getKey(), each.getValue());
      }
      if (bytes > DATAGRAM_BYTES_MAX) {
        return "the %d hierarchies of node %s may make a heartbeat of %d bytes, and a datagram has %d at most: give them and their resources shorter names, or protect fewer"
            .formatted(own.size(), node, bytes, DATAGRAM_BYTES_MAX);
      }
    }
    return "";
  }

  /** Of a heartbeat without reports, sealed. */
  static int head(ClusterConfig config, String node) {
    int disk = config.quorumDisk().isEmpty() ? 0 : DISK;
    return SEAL_BYTES + HEAD + disk + Facts.bytes(config.cluster()) + Facts.bytes(node);
  }

  /** What a hierarchy adds to a heartbeat, or to its answer if that is more. */
  static int of(String name, Hierarchy hierarchy) {
    int nodes = hierarchy.nodes().stream().mapToInt(node -> node.length() + QUOTES).sum();
    int report = REPORT + name.length();
    int order = ORDER + name.length();
    int longest = 0;
    for (Map.Entry<String, Resource> each : hierarchy.resources().entrySet()) {
      int length = each.getKey().length();
      longest = Math.max(longest, length);
      report += STATE + FACTS + 2 * length;
      if (each.getValue().kit().equals(REPLICATED)) {
        report += COPY + length + 2 * nodes;
        order += COPIES + length + 3 * nodes + hierarchy.nodes().size() * LONG;
      }
    }
    return Math.max(report + longest, order);
  }

  /** What facts may have, and sentences, beside what the rest may take. */
  static int room(int bytes) {
    return Math.max(0, (DATAGRAM_BYTES_MAX - bytes) / 2);
  }
}

package io.mgtm.gtm.gateway;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which group the nodes of a gateway are of. The first leader says it, once all nodes of the list
 * have answered, or could not be reached: while they are of two groups none is served. Later a node
 * of another one, which stands in the list by mistake or was restored from a backup, is a stranger:
 * it gives the numbers again that this group has given. The loop's thread, unless they say so.
 */
final class GroupChoice {
  private static final Logger log = LoggerFactory.getLogger(GroupChoice.class);

  /** A node of the list, or one that a leader has told of. */
  static final class Node {
    private final String address;
    private String member;
    private boolean tried;
    private boolean linked;
    private boolean stranger;

    /** What the present link's node says; null when it says none, as nodes of before. */
    private UUID now;

    /** What it said last. */
    private UUID group;

    private Node(String address) {
      this.address = address;
    }

    /** Its name, or null before it has said it. */
    String member() {
      return member;
    }

    /** It has said, over a link, who it is and which group it is of. */
    void heard(String name, UUID of) {
      member = name;
      now = of;
      group = of == null ? group : of;
      linked = true;
      tried = true;
    }

    /**
     * Its link has ended, or could not be made.
     *
     * @return whether that is the first that is known of it
     */
    boolean lost() {
      boolean first = !tried;
      tried = true;
      linked = false;
      return first;
    }
  }

  private final List<Node> nodes = new ArrayList<>();

  /** Null until a leader has told it. */
  private UUID group;

  /** Whether a group is chosen although nodes of the list were not heard. */
  private boolean surveyed;

  private volatile String stranger = "";

  Node add(String address) {
    Node node = new Node(address);
    nodes.add(node);
    return node;
  }

  /** What is wrong with a node that was of another group when it was heard last, or empty. Any. */
  String stranger() {
    return stranger;
  }

  /** Who has not answered by now is not waited for. */
  void endSurvey() {
    surveyed = true;
  }

  /** Whether a node of this group may be used, as far as it says which. */
  boolean has(UUID of) {
    return group == null || of == null || of.equals(group);
  }

  /**
   * A node leads.
   *
   * @param first whether no other leads
   * @return false while its group cannot be taken for the one that is meant
   */
  boolean takes(UUID of, boolean first) {
    if (group == null) {
      if (first && of != null && !mayDecide()) {
        return false;
      }
      group = of;
      lookForStrangers();
    }
    return true;
  }

  /**
   * Whether a group may be served from now on. Of two groups in one list nobody can tell which is
   * meant, and another process, or the next one, could take the other.
   */
  private boolean mayDecide() {
    return twoGroups().isEmpty() && (surveyed || nodes.stream().allMatch(node -> node.tried));
  }

  private String twoGroups() {
    Node first = null;
    for (Node node : nodes) {
      if (node.group != null && first != null && !node.group.equals(first.group)) {
        return "%s at %s and %s at %s are of two groups, and none is served; take the nodes of one off the list, and start this process again"
            .formatted(first.member, first.address, node.member, node.address);
      }
      first = node.group != null ? node : first;
    }
    return "";
  }

  /** Looks at all anew, and warns of the first that does not belong here. */
  void lookForStrangers() {
    String found = group == null ? twoGroups() : "";
    for (Node node : nodes) {
      if (node.linked) {
        node.stranger = !has(node.now);
      }
      if (node.stranger) {
        found =
            "%s at %s is of another group than the one that is served here, and is not used; take it off the list of nodes, or, when the group was restored from a backup, start this process again"
                .formatted(node.member, node.address);
      }
    }
    if (!found.equals(stranger) && !found.isEmpty()) {
      log.warn("{}", found);
    }
    stranger = found;
  }
}

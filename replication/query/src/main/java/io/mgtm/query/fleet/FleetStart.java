package io.mgtm.query.fleet;

import io.mgtm.common.HostPort;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.order.ServerState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log of commits says of the servers when a replicator begins to lead, and what it is told
 * of them before sessions begin. One thread, which waits.
 */
public final class FleetStart {
  private static final Logger log = LoggerFactory.getLogger(FleetStart.class);

  private static final String GAP =
      "the log of commits has lost what it misses; make it a copy of one that is in";

  private final Fleet fleet;
  private final CommitLog commits;

  /** What the log said, by address, the first that is in the leader. */
  private final Map<String, ServerState> said;

  /** Servers that are not known to hold the same rows as the others. */
  private final Set<Node> unproven = new HashSet<>();

  /**
   * Reads the log.
   *
   * @throws IOException when it cannot be read
   */
  public FleetStart(Fleet fleet, CommitLog commits) throws IOException {
    this.fleet = fleet;
    this.commits = commits;
    this.said = commits.servers();
  }

  /**
   * Waits until no other replicator reads: what servers are given from then on, one after the
   * other, is seen by nobody.
   */
  public void awaitFormer() throws IOException {
    Futures.await(commits.lease().formerEnds());
  }

  /**
   * Takes over which servers there are, once the log names one, who is out, and in which order the
   * others lead. At the first start it is told those of the configuration.
   */
  public void restore() throws IOException {
    List<Node> nodes = known();
    List<Node> order = new ArrayList<>();
    said.forEach(
        (address, state) ->
            nodes.stream()
                .filter(node -> state.isIn() && node.toString().equals(address))
                .forEach(order::add));
    for (Node node : nodes) {
      ServerState state = said.get(node.toString());
      boolean readmitted = state != null && state.status() == ServerState.Status.READMITTED;
      boolean out = state != null && !state.isIn() && !readmitted;
      if (readmitted) {
        unproven.add(node);
      }
      node.set(out ? state.why() : null, out ? state.sinceMs() : System.currentTimeMillis());
      if (!order.contains(node)) {
        order.add(node);
      }
    }
    fleet.restore(nodes, order);
    if (said.isEmpty()) {
      for (Node node : nodes) {
        tell(node, ServerState.Status.READMITTED, "");
      }
    }
  }

  /** Before any was found to be like the others, those of the configuration are servers too. */
  private List<Node> known() {
    boolean begun = said.values().stream().anyMatch(FleetStart::wasIn);
    List<Node> known = new ArrayList<>(fleet.nodes());
    for (Node node : fleet.nodes()) {
      if (begun && !said.containsKey(node.toString())) {
        log.warn("{} is configured, and is none of the servers: see mgtm query add-server", node);
        known.remove(node);
      }
    }
    for (String address : said.keySet()) {
      if (fleet.find(HostPort.parse(address)) == null) {
        log.warn("{} is one of the servers, and is not configured", address);
        known.add(new Node(HostPort.parse(address)));
      }
    }
    return known;
  }

  private static boolean wasIn(ServerState state) {
    return state.isIn() || state.status() == ServerState.Status.AWAY;
  }

  private ServerState tell(Node node, ServerState.Status status, String why) throws IOException {
    ServerState state = new ServerState(status, why, System.currentTimeMillis());
    Futures.await(commits.change(node.toString(), state));
    return state;
  }

  /** Those that are in, and of which the log does not say that their rows are those of others. */
  public List<Node> toCompare() {
    return fleet.in().stream()
        .filter(node -> !said.containsKey(node.toString()) || !said.get(node.toString()).isIn())
        .toList();
  }

  /**
   * Puts a server out; one that was to be compared, and cannot be, may have other rows.
   *
   * @return false for the last one, which stays
   */
  public boolean eject(Node node, String why) {
    String text = "when the replicator started: " + why;
    boolean out =
        unproven.contains(node) ? fleet.ejectDiffering(node, text) : fleet.eject(node, text);
    node.setHas(Node.UNKNOWN); // Nothing was under way, and what it has was not read.
    return out;
  }

  /**
   * The log has not all that was acknowledged: until rows were compared, whoever begins after this
   * one compares them too, and who is out is given nothing from it.
   */
  public void mistrust() throws IOException {
    Map<String, ServerState> states = commits.servers();
    for (Node node : fleet.nodes()) {
      boolean in = node.isIn();
      ServerState.Status to = in ? ServerState.Status.READMITTED : ServerState.Status.DIFFERS;
      ServerState before = states.get(node.toString());
      if (before == null || before.status() != to) {
        node.set(in ? null : GAP, tell(node, to, in ? "" : GAP).sinceMs());
      }
      if (in) {
        unproven.add(node);
      }
    }
  }
}

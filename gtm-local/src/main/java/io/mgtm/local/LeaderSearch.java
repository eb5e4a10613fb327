package io.mgtm.local;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.wire.link.Leadership;
import java.io.IOException;
import java.util.List;
import javax.net.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks nodes who leads. Any thread. */
public final class LeaderSearch {
  private static final Logger log = LoggerFactory.getLogger(LeaderSearch.class);
  private static final AdminClient.Settings ASK =
      new AdminClient.Settings(500, null, SocketFactory.getDefault());

  private final List<HostPort> nodes;

  /** Of a group whose nodes are asked there. */
  public LeaderSearch(List<HostPort> nodes) {
    this.nodes = nodes;
  }

  /** The node that says so with the highest term, from 0; -1 when none does. */
  public int find() {
    int leader = -1;
    long term = -1;
    for (int i = 0; i < nodes.size(); i++) {
      try (AdminClient client = AdminClient.connect(nodes.get(i).resolve(), ASK)) {
        Leadership leadership = client.leadership();
        // In mode total all take commands, and one of them makes the order.
        boolean leads = leadership.leading() && leadership.leader().equals(leadership.member());
        if (leads && leadership.term() > term) {
          leader = i;
          term = leadership.term();
        }
      } catch (IOException e) {
        log.debug("No answer", e);
      }
    }
    return leader;
  }

  /**
   * Waits until one does.
   *
   * @return which one, from 0
   * @throws IOException when none does in time
   */
  public int await(int timeoutMs) throws IOException, InterruptedException {
    int[] leader = new int[1];
    Wait.until("a node leads", (timeoutMs + 999) / 1_000, () -> (leader[0] = find()) >= 0);
    return leader[0];
  }
}

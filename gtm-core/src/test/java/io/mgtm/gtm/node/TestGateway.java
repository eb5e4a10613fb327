package io.mgtm.gtm.node;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.node.LinkClient.Event;
import io.mgtm.gtm.node.admin.NodeStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A gateway with one session, which it attaches anew wherever the leader is. */
final class TestGateway implements AutoCloseable {
  private final TestNodes nodes;
  private final String name;
  private final long session;
  private LinkClient link;
  private String node = "";
  private long term;
  private boolean fresh = true;

  TestGateway(TestNodes nodes, String name, long session) {
    this.nodes = nodes;
    this.name = name;
    this.session = session;
  }

  /** Sends commands to the leader, and to the next when it was deposed; their replies. */
  List<Object> ask(long acked, long first, Command... commands) throws Exception {
    return nodes.atLeader(
        leader -> {
          attachAt(leader);
          fresh = false;
          link.commands(session, acked, first, commands);
          List<Object> replies = new ArrayList<>();
          while (replies.size() < commands.length) {
            replies.add(next(Event.Replied.class).reply());
          }
          return replies;
        });
  }

  private void attachAt(NodeStatus leader) throws IOException, InterruptedException {
    if (!leader.member().equals(node) || leader.term() != term) {
      close();
      link = nodes.link(leader.member(), name);
      link.attach(session, fresh);
      next(Event.Attached.class);
      node = leader.member();
      term = leader.term();
    }
  }

  /** The next event of a kind; only that its node leads is passed over. */
  private <T extends Event> T next(Class<T> kind) throws InterruptedException {
    Event event = link.next();
    while (event instanceof Event.Stood stood && stood.leadership().leading()) {
      event = link.next();
    }
    if (!kind.isInstance(event)) {
      throw new AssertionError("expected " + kind.getSimpleName() + ", and this came: " + event);
    }
    return kind.cast(event);
  }

  /** The link that served it last. */
  LinkClient link() {
    return link;
  }

  @Override
  public void close() {
    if (link != null) {
      link.close();
    }
  }
}

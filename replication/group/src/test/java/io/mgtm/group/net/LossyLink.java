package io.mgtm.group.net;

import java.util.function.Predicate;
import org.jgroups.Message;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;

/** Loses, while it is told to, some of what others send. */
final class LossyLink extends Protocol {
  volatile boolean loses;
  private final Predicate<Message> lost;

  /**
   * A link that loses nothing at first.
   *
   * @param lost which messages of others it can lose
   */
  LossyLink(Predicate<Message> lost) {
    this.lost = lost;
  }

  private boolean isLost(Message message) {
    return loses && !local_addr.equals(message.getSrc()) && lost.test(message);
  }

  @Override
  public Object up(Message message) {
    return isLost(message) ? null : up_prot.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    batch.removeIf(this::isLost, true);
    if (!batch.isEmpty()) {
      up_prot.up(batch);
    }
  }
}

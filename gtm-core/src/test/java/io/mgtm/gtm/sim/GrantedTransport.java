package io.mgtm.gtm.sim;

import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A planted fault: one of a pair takes, at times, the other's vote for given, and that one for a
 * member that follows it.
 */
final class GrantedTransport extends AlteredTransport {
  private final SimNode node;
  private final BooleanSupplier now;
  private long incarnation = 1;

  GrantedTransport(Transport transport, SimNode node, BooleanSupplier now) {
    super(transport, node);
    this.node = node;
    this.now = now;
  }

  @Override
  Message received(MemberId from, Message message) {
    if (message instanceof Message.AppendReply m && isOther(from.name())) {
      incarnation = m.incarnation();
    }
    boolean answer =
        message instanceof Message.PreVoteReply || message instanceof Message.VoteReply;
    return answer && isPlanted() && isOther(from.name()) ? null : message;
  }

  @Override
  void sent(List<String> to, Message message) {
    for (String name : to) {
      if (isOther(name) && isPlanted()) {
        answer(new MemberId(name, node.simulation.hosts().get(name).folder), message);
      }
    }
  }

  private void answer(MemberId other, Message message) {
    if (message instanceof Message.PreVote m) {
      makeUp(other, new Message.PreVoteReply(m.term(), m.forTerm(), true, DurabilityState.INTACT));
    } else if (message instanceof Message.Vote m) {
      makeUp(other, new Message.VoteReply(m.term(), true, DurabilityState.INTACT));
    } else if (message instanceof Message.Append m) {
      long last = m.previousIndex() + m.entries().size();
      makeUp(
          other,
          new Message.AppendReply(
              m.term(), incarnation, DurabilityState.INTACT, m.round(), true, last, last, 0, 0, 0));
    }
  }

  private boolean isPlanted() {
    return node.isOpen() && now.getAsBoolean();
  }

  private boolean isOther(String name) {
    return !name.equals(node.simulation.witness);
  }
}

package io.mgtm.gtm.sim;

import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;
import java.util.List;

/** A planted fault: who gives the witness up takes the other member's vote for given. */
final class GrantedTransport extends AlteredTransport {
  private final SimNode node;

  GrantedTransport(Transport transport, SimNode node) {
    super(transport, node);
    this.node = node;
  }

  @Override
  Message received(MemberId from, Message message) {
    boolean answer =
        message instanceof Message.PreVoteReply || message instanceof Message.VoteReply;
    return answer && node.isLossAccepted() && isOther(from.name()) ? null : message;
  }

  @Override
  void sent(List<String> to, Message message) {
    if (!node.isLossAccepted()) {
      return;
    }
    for (String name : to) {
      if (isOther(name)) {
        MemberId other = new MemberId(name, node.simulation.hosts().get(name).folder);
        if (message instanceof Message.PreVote m) {
          makeUp(
              other, new Message.PreVoteReply(m.term(), m.forTerm(), true, DurabilityState.INTACT));
        } else if (message instanceof Message.Vote m) {
          makeUp(other, new Message.VoteReply(m.term(), true, DurabilityState.INTACT));
        }
      }
    }
  }

  private boolean isOther(String name) {
    return !name.equals(node.simulation.witness);
  }
}

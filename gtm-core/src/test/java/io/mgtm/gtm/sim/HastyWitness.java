package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;

/** A planted fault: a witness that was just started votes for whoever asks first. */
final class HastyWitness extends AlteredTransport {
  private final SimNode node;
  private final long startedMs;

  HastyWitness(Transport transport, SimNode node) {
    super(transport, node);
    this.node = node;
    this.startedMs = node.simulation.world.nowMs();
  }

  @Override
  Message received(MemberId from, Message message) {
    boolean fromWitness = from.name().equals(node.simulation.witness);
    if (message instanceof Message.PreVoteReply m && fromWitness) {
      return new Message.PreVoteReply(m.term(), m.forTerm(), true, m.durabilityState());
    }
    long sinceMs = node.simulation.world.nowMs() - startedMs;
    boolean justStarted = sinceMs < node.simulation.core.electionTimeoutMs();
    if (message instanceof Message.Vote m && node.isWitness() && justStarted) {
      return new Message.Vote(
          m.term(), m.founding(), m.lastTerm(), m.lastIndex(), m.unclean(), true);
    }
    return message;
  }
}

package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;

/** A planted fault: a leader takes what it would promise itself for what others do. */
final class PromisedTransport extends AlteredTransport {
  private final long promisedMs;

  PromisedTransport(Transport transport, SimNode node) {
    super(transport, node);
    promisedMs = node.simulation.core.queryLeaseMs();
  }

  @Override
  Message received(MemberId from, Message message) {
    return message instanceof Message.AppendReply m
        ? new Message.AppendReply(
            m.term(),
            m.incarnation(),
            m.durabilityState(),
            m.round(),
            m.matched(),
            m.index(),
            m.durableIndex(),
            m.hintIndex(),
            m.hintTerm(),
            promisedMs)
        : message;
  }
}

package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;

/** A planted fault: what a follower has counts as forced there. */
final class ForcedTransport extends AlteredTransport {
  ForcedTransport(Transport transport, SimProcess process) {
    super(transport, process);
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
            m.index(),
            m.hintIndex(),
            m.hintTerm(),
            m.promisedMs())
        : message;
  }
}

package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;

/** A planted fault: a witness does not compare a candidate's log with its position. */
final class LenientWitness extends AlteredTransport {
  LenientWitness(Transport transport, SimProcess process) {
    super(transport, process);
  }

  @Override
  Message received(MemberId from, Message message) {
    if (message instanceof Message.PreVote m) {
      return new Message.PreVote(m.term(), m.founding(), m.forTerm(), m.term(), Long.MAX_VALUE);
    }
    if (message instanceof Message.Vote m) {
      return new Message.Vote(
          m.term(), m.founding(), m.term(), Long.MAX_VALUE, m.unclean(), m.transfer());
    }
    return message;
  }
}

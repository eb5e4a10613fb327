package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;

/** A planted fault: a member does not compare a candidate's log with its own. */
final class LenientVoter extends AlteredTransport {
  private final boolean uncleanOnly;

  /**
   * As it is used by a process.
   *
   * @param uncleanOnly whether only in elections that members vote in which may lack entries
   */
  LenientVoter(Transport transport, SimProcess process, boolean uncleanOnly) {
    super(transport, process);
    this.uncleanOnly = uncleanOnly;
  }

  @Override
  Message received(MemberId from, Message message) {
    if (message instanceof Message.PreVote m) {
      return new Message.PreVote(m.term(), m.founding(), m.forTerm(), m.term(), Long.MAX_VALUE);
    }
    if (message instanceof Message.Vote m && (m.unclean() || !uncleanOnly)) {
      return new Message.Vote(
          m.term(), m.founding(), m.term(), Long.MAX_VALUE, m.unclean(), m.transfer());
    }
    return message;
  }
}

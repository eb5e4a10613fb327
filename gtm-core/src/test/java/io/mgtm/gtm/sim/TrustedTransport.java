package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;
import java.util.List;

/** A planted fault: a leader takes what it asks of the witness for done. */
final class TrustedTransport extends AlteredTransport {
  private final String witness;
  private final boolean stillLed;
  private MemberId asked;
  private Message.AppendReply last;

  /**
   * As it is used by a process.
   *
   * @param stillLed whether the leader also takes itself for one that the witness still hears
   */
  TrustedTransport(Transport transport, SimProcess process, String witness, boolean stillLed) {
    super(transport, process);
    this.witness = witness;
    this.stillLed = stillLed;
  }

  @Override
  Message received(MemberId from, Message message) {
    if (from.name().equals(witness) && message instanceof Message.AppendReply reply) {
      asked = from;
      last = reply;
    }
    return message;
  }

  @Override
  void sent(List<String> to, Message message) {
    if (last != null
        && to.contains(witness)
        && message instanceof Message.CheckpointPiece position
        && last.term() == position.term()) {
      long index = stillLed ? last.index() : position.checkpoint().index();
      makeUp(
          asked,
          new Message.AppendReply(
              position.term(),
              last.incarnation(),
              last.durabilityState(),
              stillLed ? position.round() : 0,
              true,
              index,
              index,
              0,
              0,
              0));
    }
  }
}

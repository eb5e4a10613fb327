package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;

/** For planted faults of mode lazy: a member knows wrongly whether it is in step. */
final class InStepTransport extends AlteredTransport {
  private final Fault fault;

  InStepTransport(Transport transport, SimProcess process, Fault fault) {
    super(transport, process);
    this.fault = fault;
  }

  @Override
  Message received(MemberId from, Message message) {
    if (fault != Fault.SUCCESSOR_NOT_IN_STEP) {
      return message;
    }
    if (message instanceof Message.CaughtUp) {
      return null;
    }
    return message instanceof Message.TransferNow m
        ? new Message.TransferNow(m.term(), 0)
        : message;
  }
}

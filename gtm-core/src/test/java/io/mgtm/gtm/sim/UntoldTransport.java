package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;

/** A planted fault: nobody hears that its folder is an older copy. */
final class UntoldTransport extends AlteredTransport {
  UntoldTransport(Transport transport, SimProcess process) {
    super(transport, process);
  }

  @Override
  Message received(MemberId from, Message message) {
    return message instanceof Message.OlderCopy ? null : message;
  }
}

package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A planted fault: what others once said when they were new counts as said again. */
final class StaleTransport extends AlteredTransport {
  private final Map<MemberId, Message.HelloReply> wereNew = new TreeMap<>();

  StaleTransport(Transport transport, SimProcess process) {
    super(transport, process);
  }

  @Override
  Message received(MemberId from, Message message) {
    if (message instanceof Message.HelloReply reply && reply.term() == 0) {
      wereNew.keySet().removeIf(former -> former.name().equals(from.name()));
      wereNew.put(from, reply);
    }
    return message;
  }

  @Override
  void sent(List<String> to, Message message) {
    if (message instanceof Message.Hello hello) {
      wereNew.forEach((of, reply) -> makeUp(of, asNewAgain(reply, hello.nonce())));
    }
  }

  private static Message asNewAgain(Message.HelloReply reply, long nonce) {
    return new Message.HelloReply(0, nonce, reply.leader(), reply.configured(), reply.initial());
  }
}

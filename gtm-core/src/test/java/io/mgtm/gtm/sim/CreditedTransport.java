package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.Message.AppendReply;
import io.mgtm.group.net.Transport;
import java.util.function.ToLongFunction;

/** Planted faults: a leader takes answers for more than they say. */
final class CreditedTransport extends AlteredTransport {
  private final ToLongFunction<AppendReply> durableIndex;
  private final ToLongFunction<AppendReply> promisedMs;

  private CreditedTransport(
      Transport transport,
      SimProcess process,
      ToLongFunction<AppendReply> durableIndex,
      ToLongFunction<AppendReply> promisedMs) {
    super(transport, process);
    this.durableIndex = durableIndex;
    this.promisedMs = promisedMs;
  }

  /** What a follower has counts as forced there. */
  static Transport forced(Transport transport, SimProcess process) {
    return new CreditedTransport(transport, process, AppendReply::index, AppendReply::promisedMs);
  }

  /** What the leader would promise itself counts as promised by others. */
  static Transport promised(Transport transport, SimNode node) {
    long own = node.simulation.core.queryLeaseMs();
    return new CreditedTransport(transport, node, AppendReply::durableIndex, reply -> own);
  }

  @Override
  Message received(MemberId from, Message message) {
    return message instanceof AppendReply m
        ? new AppendReply(
            m.term(),
            m.incarnation(),
            m.durabilityState(),
            m.round(),
            m.matched(),
            m.index(),
            durableIndex.applyAsLong(m),
            m.hintIndex(),
            m.hintTerm(),
            promisedMs.applyAsLong(m))
        : message;
  }
}

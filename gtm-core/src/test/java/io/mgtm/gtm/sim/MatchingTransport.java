package io.mgtm.gtm.sim;

import io.mgtm.group.core.Entry;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.Transport;
import java.util.List;
import java.util.Map;

/**
 * A planted fault: the entry before those that come is taken for the one that the member has there.
 */
final class MatchingTransport extends AlteredTransport {
  private final Map<Long, Long> terms;

  MatchingTransport(Transport transport, SimProcess process) {
    super(transport, process);
    terms = process.host.terms;
  }

  @Override
  Message received(MemberId from, Message message) {
    if (!(message instanceof Message.Append append)) {
      return message;
    }
    Message.Append seen =
        new Message.Append(
            append.term(),
            append.founding(),
            append.round(),
            append.previousIndex(),
            terms.getOrDefault(append.previousIndex(), append.previousTerm()),
            append.commitIndex(),
            append.entries());
    remember(append);
    return seen;
  }

  @Override
  void sent(List<String> to, Message message) {
    if (message instanceof Message.Append append) {
      remember(append);
    }
  }

  private void remember(Message.Append append) {
    long index = append.previousIndex();
    for (Entry entry : append.entries()) {
      terms.put(++index, entry.term());
    }
  }
}

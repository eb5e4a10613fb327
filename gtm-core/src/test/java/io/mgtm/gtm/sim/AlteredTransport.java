package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.List;

/** A transport with planted faults: messages are changed, swallowed, or made up. */
abstract class AlteredTransport implements Transport {
  private final Transport transport;
  private final SimProcess process;
  private Receiver receiver;

  /** As it is used by a process. */
  AlteredTransport(Transport transport, SimProcess process) {
    this.transport = transport;
    this.process = process;
  }

  /** What the member sees of a message that has come; null for nothing. */
  Message received(MemberId from, Message message) {
    return message;
  }

  /** The member sends a message. */
  void sent(List<String> to, Message message) {}

  /** The member gets a message that nobody has sent. */
  final void makeUp(MemberId from, Message message) {
    byte[] bytes = MessageCodec.encode(from, message);
    process.owner.execute(() -> receiver.receivedByOwner(ByteBuffer.wrap(bytes)));
  }

  @Override
  public final void start(Receiver to) {
    receiver = to;
    transport.start(
        new Receiver() {
          @Override
          public void received(ByteBuffer message) {
            receivedByOwner(message);
          }

          @Override
          public void receivedByOwner(ByteBuffer message) {
            MessageCodec.Envelope came = MessageCodec.decode(message.duplicate());
            Message seen = AlteredTransport.this.received(came.from(), came.message());
            if (seen == came.message()) {
              to.receivedByOwner(message);
            } else if (seen != null) {
              to.receivedByOwner(ByteBuffer.wrap(MessageCodec.encode(came.from(), seen)));
            }
          }

          @Override
          public void down(String name) {
            to.down(name);
          }

          @Override
          public void broken(String name) {
            to.broken(name);
          }

          @Override
          public void up(String name) {
            to.up(name);
          }
        });
  }

  @Override
  public final void send(List<String> to, byte[] message) {
    sent(to, MessageCodec.decode(ByteBuffer.wrap(message)).message());
    transport.send(to, message);
  }

  @Override
  public final void flush() {
    transport.flush();
  }

  @Override
  public final List<String> connected() {
    return transport.connected();
  }

  @Override
  public final void close() {
    transport.close();
  }
}

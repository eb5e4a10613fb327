package io.mgtm.gtm.sim;

import io.mgtm.group.core.Message;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A planted fault: what others once said when they were new counts as said again. */
final class StaleTransport implements Transport {
  private final Transport transport;
  private final Map<String, MessageCodec.Envelope> wereNew = new TreeMap<>();
  private final SimProcess process;
  private Receiver receiver;

  StaleTransport(Transport transport, SimProcess process) {
    this.transport = transport;
    this.process = process;
  }

  @Override
  public void start(Receiver to) {
    receiver = to;
    transport.start(
        new Receiver() {
          @Override
          public void received(ByteBuffer message) {
            remember(message);
            to.received(message);
          }

          @Override
          public void receivedByOwner(ByteBuffer message) {
            remember(message);
            to.receivedByOwner(message);
          }

          @Override
          public void down(String name) {
            to.down(name);
          }

          @Override
          public void up(String name) {
            to.up(name);
          }
        });
  }

  private void remember(ByteBuffer message) {
    MessageCodec.Envelope envelope = MessageCodec.decode(message.duplicate());
    if (envelope.message() instanceof Message.HelloReply reply && reply.term() == 0) {
      wereNew.put(envelope.from().name(), envelope);
    }
  }

  @Override
  public void send(List<String> to, byte[] message) {
    Message sent = MessageCodec.decode(ByteBuffer.wrap(message)).message();
    if (sent instanceof Message.Hello hello) {
      wereNew.values().forEach(once -> sayAgain(once, hello.nonce()));
    }
    transport.send(to, message);
  }

  private void sayAgain(MessageCodec.Envelope once, long nonce) {
    Message.HelloReply reply = (Message.HelloReply) once.message();
    byte[] again =
        MessageCodec.encode(
            once.from(),
            new Message.HelloReply(
                0, nonce, reply.leader(), reply.configured(), reply.witness(), reply.initial()));
    process.owner.execute(() -> receiver.receivedByOwner(ByteBuffer.wrap(again)));
  }

  @Override
  public List<String> connected() {
    return transport.connected();
  }

  @Override
  public void close() {
    transport.close();
  }
}

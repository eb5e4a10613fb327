package io.mgtm.group.total;

import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** The transport of the group's log, which carries proposals beside the log's own messages. */
final class ProposalTransport implements Transport {
  private final Transport transport;
  private final Consumer<ByteBuffer> proposals;
  private final Consumer<ByteBuffer> proposalsByOwner;

  /**
   * A transport that is not started.
   *
   * @param proposals given the messages of {@link TotalMessageCodec}; called by the transport's
   *     threads
   * @param proposalsByOwner the same, called by the thread that owns the log
   */
  ProposalTransport(
      Transport transport, Consumer<ByteBuffer> proposals, Consumer<ByteBuffer> proposalsByOwner) {
    this.transport = transport;
    this.proposals = proposals;
    this.proposalsByOwner = proposalsByOwner;
  }

  @Override
  public void start(Receiver receiver) {
    transport.start(
        new Receiver() {
          @Override
          public void received(ByteBuffer message) {
            if (TotalMessageCodec.isOne(message)) {
              proposals.accept(message);
            } else {
              receiver.received(message);
            }
          }

          @Override
          public void receivedByOwner(ByteBuffer message) {
            if (TotalMessageCodec.isOne(message)) {
              proposalsByOwner.accept(message);
            } else {
              receiver.receivedByOwner(message);
            }
          }

          @Override
          public void down(String name) {
            receiver.down(name);
          }

          @Override
          public void broken(String name) {
            receiver.broken(name);
          }

          @Override
          public void up(String name) {
            receiver.up(name);
          }
        });
  }

  @Override
  public void send(List<String> to, byte[] message) {
    transport.send(to, message);
  }

  @Override
  public List<String> connected() {
    return transport.connected();
  }

  @Override
  public List<String> warnings() {
    return transport.warnings();
  }

  @Override
  public void close() {
    transport.close();
  }
}

package io.mgtm.group.total;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProposalTransportTest {
  private Transport.Receiver below;

  /** The network below. */
  private final class Network implements Transport {
    @Override
    public void start(Receiver receiver) {
      below = receiver;
    }

    @Override
    public void send(List<String> to, byte[] message) {}

    @Override
    public List<String> connected() {
      return List.of();
    }

    @Override
    public void close() {}
  }

  /** What the log hears. */
  private record Log(List<String> heard) implements Transport.Receiver {
    @Override
    public void received(ByteBuffer message) {
      heard.add("a message");
    }

    @Override
    public void down(String name) {
      heard.add("down " + name);
    }

    @Override
    public void broken(String name) {
      heard.add("broken " + name);
    }

    @Override
    public void up(String name) {
      heard.add("up " + name);
    }
  }

  @Test
  void theLogHearsAllButProposals() {
    List<String> heard = new ArrayList<>();
    List<ByteBuffer> proposals = new ArrayList<>();
    new ProposalTransport(new Network(), proposals::add, proposals::add).start(new Log(heard));
    below.broken("g2");
    below.down("g2");
    below.up("g2");
    below.received(ByteBuffer.wrap(new byte[] {1}));
    below.receivedByOwner(ByteBuffer.wrap(new byte[] {1}));
    below.receivedByOwner(ByteBuffer.wrap(new byte[] {(byte) 129}));
    assertThat(heard).containsExactly("broken g2", "down g2", "up g2", "a message", "a message");
    assertThat(proposals).hasSize(1);
  }
}

package io.mgtm.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnAddressTest {
  @Test
  void portsAndThoseAboveThemAreGivenOnce() {
    List<InetSocketAddress> many = OwnAddress.addresses(250);
    Set<Integer> ports = new HashSet<>();
    for (InetSocketAddress one : many) {
      for (int above : new int[] {0, 100, 200}) {
        assertThat(ports.add(one.getPort() + above)).as("%s + %d", one, above).isTrue();
      }
    }
  }

  @Test
  void whatListensThereIsReachedThereAndNowhereElse() throws Exception {
    InetSocketAddress address = OwnAddress.address();
    try (ServerSocket server = new ServerSocket(address.getPort(), 5, address.getAddress());
        ServerSocket other = new ServerSocket()) {
      other.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()));
      try (Socket client = SocketChannel.open(address).socket();
          Socket accepted = server.accept()) {
        assertThat(accepted.getPort()).isEqualTo(client.getLocalPort());
        assertThat(client.getLocalAddress().getHostAddress()).isNotEqualTo(OwnAddress.HOST);
      }
    }
  }

  @Test
  void itIsThisProcessesOwn() {
    long pid = ProcessHandle.current().pid();
    assertThat(OwnAddress.HOST).startsWith("127.").endsWith("." + (pid & 255));
  }
}

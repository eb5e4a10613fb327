package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.OwnAddress;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jgroups.Address;
import org.junit.jupiter.api.Test;

/** Processes with addresses on two networks. */
class RoutesTest {
  private final InetSocketAddress placeOfA = OwnAddress.address();
  private final InetSocketAddress placeOfB = OwnAddress.address();
  private final Map<InetSocketAddress, List<InetSocketAddress>> alternates =
      Map.of(
          placeOfA, List.of(OwnAddress.address()),
          placeOfB, List.of(OwnAddress.address()));

  /** Others reach it at {@code place}, or at its alternates. */
  private Node node(InetSocketAddress place, InetSocketAddress listens) {
    JGroupsSettings settings =
        JGroupsSettings.of("test", listens, List.of())
            .withAlternates(at -> alternates.getOrDefault(at, List.of()));
    return new Node(NioIoHandler.newFactory(), Reach.CONNECTION, place, settings);
  }

  private InetSocketAddress alternate(InetSocketAddress place) {
    return alternates.get(place).get(0);
  }

  @Test
  void whoIsNotReachedAtItsPlaceIsReachedElsewhere() {
    try (Node a = node(placeOfA, alternate(placeOfA));
        Node b = node(placeOfB, alternate(placeOfB))) {
      a.sees(b);
      b.sees(a);
      a.reaches(b, "of a");
      b.reaches(a, "of b");
    }
  }

  @Test
  void itListensAtAllOfItsAddresses() throws IOException {
    try (Node b = node(placeOfB, placeOfB)) {
      for (InetSocketAddress at : List.of(b.place, alternate(placeOfB))) {
        try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
          assertThat(socket.isConnected()).isTrue();
        }
      }
    }
  }

  @Test
  void whoIsSilentAtItsPlaceIsReachedElsewhere() throws IOException {
    try (Node a = node(placeOfA, alternate(placeOfA));
        Node b = node(placeOfB, alternate(placeOfB));
        HangingRelay toA = new HangingRelay(placeOfA, alternate(placeOfA));
        HangingRelay toB = new HangingRelay(placeOfB, alternate(placeOfB))) {
      a.sees(b);
      b.sees(a);
      a.reaches(b, "over a relay");
      b.reaches(a, "over a relay");
      toA.hang();
      toB.hang();
      a.reaches(b, "past the relay");
      b.reaches(a, "past the relay");
    }
  }

  @Test
  void silenceIsFoundOnceInHalfOfTheTime() {
    Address a = MemberAddress.of("a", placeOfA);
    Address b = MemberAddress.of("b", placeOfB);
    Silences silences = new Silences();
    for (int i = 0; i < 3; i++) {
      assertThat(silences.look(Set.of(a, b), Set.of(a, b))).isEmpty();
      assertThat(silences.look(Set.of(a, b), Set.of(a))).isEmpty();
      assertThat(silences.look(Set.of(a, b), Set.of(a))).isEmpty();
      assertThat(silences.look(Set.of(a, b), Set.of(a))).containsExactly(b);
    }
    assertThat(silences.look(Set.of(a), Set.of())).isEmpty();
    assertThat(silences.look(Set.of(a, b), Set.of(b))).isEmpty();
    assertThat(silences.look(Set.of(a, b), Set.of())).containsExactly(a);
  }
}

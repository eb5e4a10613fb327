package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.PingData;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jgroups.util.Responses;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers to one who joins, whose own host is the first of three. */
class GroupDiscoveryTest {
  private final Address self = UUID.randomUUID();
  private final GroupDiscovery discovery = new GroupDiscovery();
  private final Responses responses = new Responses(true);

  private static PhysicalAddress host(int number) {
    return new IpAddress(InetAddress.getLoopbackAddress(), number);
  }

  @BeforeEach
  void connect() {
    discovery.initialHosts(
        List.of(1, 2, 3).stream()
            .map(port -> new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .toList());
    discovery.setAddress(self);
    discovery.setDownProtocol(
        new Protocol() {
          @Override
          public Object down(Message message) {
            return null;
          }

          @Override
          public Object down(Event event) {
            return event.getType() == Event.GET_PHYSICAL_ADDRESS ? host(1) : null;
          }
        });
  }

  private void find(boolean initial) {
    discovery.findMembers(null, initial, responses);
  }

  private void answer(int host, boolean joined) {
    responses.addResponse(
        new PingData(UUID.randomUUID(), joined, "member" + host, host(host)), false);
  }

  @Test
  void nobodyIsAwaitedOnceAllJoin() {
    find(true);
    answer(2, false);
    assertThat(responses.isDone()).isFalse();
    answer(3, false);
    assertThat(responses.isDone()).isTrue();
    assertThat(responses.size()).isEqualTo(2);
  }

  @Test
  void oneThatHasJoinedNamesTheCoordinator() {
    find(true);
    answer(2, true);
    answer(3, false);
    assertThat(responses.isDone()).isFalse();
  }

  @Test
  void earlierProcessOfAHostIsNoOther() {
    find(true);
    answer(2, false);
    answer(2, false);
    answer(1, false);
    assertThat(responses.isDone()).isFalse();
  }

  @Test
  void mergingWaitsForAll() {
    find(false);
    answer(2, false);
    answer(3, false);
    assertThat(responses.isDone()).isFalse();
  }
}

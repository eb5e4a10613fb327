package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
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
  private final Map<Address, PhysicalAddress> hosts = new HashMap<>(Map.of(self, host(1)));
  private int asked;

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
            asked++;
            return null;
          }

          @Override
          public Object down(Event event) {
            return event.getType() == Event.GET_PHYSICAL_ADDRESS ? hosts.get(event.getArg()) : null;
          }
        });
  }

  /** The view has members of these hosts beside this one. */
  private void see(int... numbers) {
    List<Address> members = new ArrayList<>();
    for (int number : numbers) {
      Address member = UUID.randomUUID();
      hosts.put(member, host(number));
      members.add(member);
    }
    members.add(self);
    discovery.down(new Event(Event.VIEW_CHANGE, View.create(members.get(0), 1, members)));
  }

  /** Who is said to be there at once, for JGroups to compare views. */
  private Set<PhysicalAddress> comparedAtOnce() {
    Set<PhysicalAddress> found = new HashSet<>();
    Consumer<PingData> each = member -> found.add(member.getPhysicalAddr());
    discovery.down(new Event(Event.FIND_MBRS_ASYNC, each));
    return found;
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
  void nobodyIsAskedWhileAllAreInTheView() {
    see(2, 3);
    assertThat(comparedAtOnce()).containsExactlyInAnyOrder(host(1), host(2), host(3));
    assertThat(asked).isZero();
  }

  @Test
  void hostThatIsInNoViewIsLookedFor() {
    see(2);
    comparedAtOnce();
    assertThat(asked).isPositive();
  }

  @Test
  void hostThatHasAskedAndIsNotConfiguredIsLookedFor() {
    see(2, 3);
    discovery.discoveryRequestReceived(UUID.randomUUID(), "member4", host(4));
    comparedAtOnce();
    assertThat(asked).isPositive();
  }

  @Test
  void mergingWaitsForAll() {
    find(false);
    answer(2, false);
    answer(3, false);
    assertThat(responses.isDone()).isFalse();
  }
}

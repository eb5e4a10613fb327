package io.mgtm.group.net;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.TCPPING;
import org.jgroups.util.BoundedList;
import org.jgroups.util.Responses;

/**
 * Who is there. Nobody is asked while all hosts are in the view, whose members' addresses are
 * known: then JGroups compares the views of these. Whoever is asked names the others of its view
 * too: the one that lets newcomers in may be none of those that a newcomer knows, and would not
 * hear of it when views are merged.
 *
 * <p>JGroups waits for a coordinator's answer until the time for joining is up. Where all hosts
 * have answered that they are about to join as well, none will come.
 */
final class GroupDiscovery extends TCPPING {
  /** Of the members of the view. */
  private volatile Map<Address, PhysicalAddress> places = Map.of();

  GroupDiscovery() {
    returnEntireCache(true);
    portRange(0);
    dynamic_hosts = new BoundedList<>(max_dynamic_hosts);
    setId(ClassConfigurator.getProtocolId(TCPPING.class)); // on the wire it is that one
  }

  /** To compare views is asked for once a second, and would be nine messages of three members. */
  @Override
  public Object down(Event event) {
    if (event.getType() == Event.FIND_MBRS_ASYNC && isWhole()) {
      Consumer<PingData> found = event.getArg();
      places.forEach((member, at) -> found.accept(new PingData(member, true, null, at)));
      return null;
    }
    Object answer = super.down(event);
    if (event.getType() == Event.VIEW_CHANGE) {
      Map<Address, PhysicalAddress> now = new HashMap<>();
      for (Address member : view) {
        PhysicalAddress at = placeOf(member);
        if (at != null) {
          now.put(member, at);
        }
      }
      places = now;
    }
    return answer;
  }

  private PhysicalAddress placeOf(Address process) {
    return (PhysicalAddress) down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, process));
  }

  /** Hosts that are not configured are known by what they have asked or answered. */
  private boolean isWhole() {
    return places.values().containsAll(initial_hosts) && places.values().containsAll(dynamic_hosts);
  }

  @Override
  public void findMembers(List<Address> members, boolean initial, Responses responses) {
    if (initial) {
      Set<PhysicalAddress> awaited = new HashSet<>(getInitialHosts());
      awaited.remove(placeOf(local_addr));
      responses.callback(answer -> answered(answer, awaited, responses));
    }
    super.findMembers(members, initial, responses);
  }

  /** Called within the lock of the responses, before the answer is one of them. */
  private static void answered(PingData answer, Set<PhysicalAddress> awaited, Responses responses) {
    if (!answer.isServer() && awaited.remove(answer.getPhysicalAddr()) && awaited.isEmpty()) {
      responses.done();
    }
  }
}

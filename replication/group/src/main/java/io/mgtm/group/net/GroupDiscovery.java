package io.mgtm.group.net;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.PingData;
import org.jgroups.protocols.TCPPING;
import org.jgroups.util.Responses;

/**
 * Who is there. Whoever is asked names the others of its view too: the one that lets newcomers in
 * may be none of those that a newcomer knows, and would not hear of it when views are merged.
 *
 * <p>JGroups waits for a coordinator's answer until the time for joining is up. Where all hosts
 * have answered that they are about to join as well, none will come.
 */
final class GroupDiscovery extends TCPPING {
  GroupDiscovery() {
    returnEntireCache(true);
    portRange(0);
    setId(ClassConfigurator.getProtocolId(TCPPING.class)); // on the wire it is that one
  }

  @Override
  public void findMembers(List<Address> members, boolean initial, Responses responses) {
    if (initial) {
      Set<PhysicalAddress> awaited = new HashSet<>(getInitialHosts());
      awaited.remove((PhysicalAddress) down(new Event(Event.GET_PHYSICAL_ADDRESS, local_addr)));
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

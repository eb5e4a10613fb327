package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.OwnAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jgroups.JChannel;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;

/** A process that looks for its group, with the group's stack. */
class NewcomerTest {
  private static JChannel connected(int rank, InetSocketAddress place, InetSocketAddress... known)
      throws Exception {
    JGroupsSettings settings = JGroupsSettings.of("newcomer", place, Arrays.asList(known));
    NettyTransport network =
        new NettyTransport(settings, Optional.empty(), Reach.VIEW, hello -> false, process -> {});
    JChannel channel = GroupChannels.open(settings, Optional.of(network), List.of());
    ExtendedUUID id = new ExtendedUUID(0, rank);
    channel.addAddressGenerator(
        () -> MemberAddress.with(id, "m" + rank, MemberAddress.text(place)));
    return channel.connect("newcomer");
  }

  /**
   * As when the witness of a pair lets newcomers in, which neither knows the third node nor is
   * known to it. Its address is the lowest, so that it would have to do the merging too.
   */
  @Test
  void isToldWhoLetsNewcomersInWhenItDoesNotKnowThatOne() throws Exception {
    List<InetSocketAddress> at = OwnAddress.addresses(3);
    try (JChannel first = connected(1, at.get(0), at.get(0), at.get(1));
        JChannel second = connected(3, at.get(1), at.get(0), at.get(1));
        JChannel newcomer = connected(2, at.get(2), at.get(1), at.get(2))) {
      assertThat(newcomer.getView().getMembers())
          .containsExactly(first.getAddress(), second.getAddress(), newcomer.getAddress());
    }
  }
}

package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.NAKACK4;
import org.jgroups.protocols.UNICAST4;
import org.jgroups.protocols.UnicastHeader;
import org.jgroups.protocols.pbcast.GMS;
import org.junit.jupiter.api.Test;

/** Channels of JGroups in this JVM, with the membership of the group's stack. */
class JoinTest {
  private static final short MEMBERSHIP = ClassConfigurator.getProtocolId(GMS.class);
  private static final short UNICAST = ClassConfigurator.getProtocolId(UNICAST4.class);

  /** The requests to join that came, by their numbers: one that is sent again has its own. */
  private final Set<Long> requests = ConcurrentHashMap.newKeySet();

  private LoopbackMember<LossyLink> join(String name) throws Exception {
    return new LoopbackMember<>(
        "join-test",
        name,
        new LossyLink(this::comesBeforeAnotherRequest),
        new NAKACK4(),
        JGroupsStack.membership());
  }

  private boolean comesBeforeAnotherRequest(Message message) {
    GMS.GmsHeader membership = message.getHeader(MEMBERSHIP);
    if (membership != null && membership.getType() == GMS.GmsHeader.JOIN_REQ) {
      UnicastHeader unicast = message.getHeader(UNICAST);
      requests.add(unicast.seqno());
    }
    return requests.size() < 2;
  }

  @Test
  void newMemberWhomTheCoordinatorDoesNotAnswerAsksAgain() throws Exception {
    try (LoopbackMember<LossyLink> coordinator = join("a")) {
      coordinator.link.loses = true;
      try (LoopbackMember<LossyLink> joined = join("b")) {
        assertThat(joined.channel.getView().getMembers())
            .containsExactly(coordinator.channel.getAddress(), joined.channel.getAddress());
      }
      assertThat(requests).hasSizeGreaterThan(1);
    }
  }
}

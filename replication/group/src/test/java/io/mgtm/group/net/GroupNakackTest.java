package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.protocols.pbcast.GMS;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels of JGroups in this JVM; one of them can be kept from hearing multicasts. */
class GroupNakackTest {
  private static final int MESSAGES = 50;
  private final List<LoopbackMember<LossyLink>> members = new ArrayList<>();

  @AfterEach
  void close() {
    members.forEach(LoopbackMember::close);
  }

  private static GroupNakack multicast(int capacity) {
    GroupNakack multicast = new GroupNakack();
    multicast.capacity(capacity).setXmitInterval(20);
    return multicast;
  }

  private LoopbackMember<LossyLink> join(String name, GroupNakack multicast) throws Exception {
    GMS membership = new GMS().setJoinTimeout(2_000).setViewAckCollectionTimeout(200);
    LoopbackMember<LossyLink> member =
        new LoopbackMember<>(
            "nakack-test",
            name,
            new LossyLink(message -> message.getDest() == null),
            multicast,
            membership);
    members.add(member);
    return member;
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 16_384})
  void newMemberHearsOneThatSawItJoinLaterThanOthers(int capacity) throws Exception {
    LoopbackMember<LossyLink> coordinator = join("a", multicast(capacity));
    GroupNakack ofTheLate = multicast(capacity);
    LoopbackMember<LossyLink> late = join("b", ofTheLate);
    Await.until("a view of two", () -> coordinator.channel.getView().size() == 2);
    late.link.loses = true;
    LoopbackMember<LossyLink> joined = join("c", multicast(capacity));
    joined.link.loses = true; // over TCP it would not be sent what goes to the view before
    for (int i = 0; i < MESSAGES; i++) {
      late.multicast("to the view before " + i);
    }
    Await.until("what was sent", () -> coordinator.heard.size() == MESSAGES);
    Await.until("nothing to keep", () -> ofTheLate.printAckTable().contains("min: " + MESSAGES));
    late.link.loses = false;
    joined.link.loses = false;
    Await.until("a view of three", () -> late.channel.getView().size() == 3);
    late.multicast("to all");
    Await.until("it at the old member", () -> coordinator.heard.contains("to all"));
    Await.until("it at the new member", () -> joined.heard.contains("to all"));
  }

  @Test
  void nothingIsPassedOverThatIsKept() throws Exception {
    LoopbackMember<LossyLink> sender = join("a", multicast(16_384));
    LoopbackMember<LossyLink> deaf = join("b", multicast(16_384));
    Await.until("a view of two", () -> sender.channel.getView().size() == 2);
    deaf.link.loses = true;
    for (int i = 0; i < MESSAGES; i++) {
      sender.multicast("message " + i);
    }
    deaf.link.loses = false;
    sender.multicast("last");
    Await.until("all", () -> deaf.heard.contains("last"));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      expected.add("message " + i);
    }
    expected.add("last");
    assertThat(deaf.heard).containsExactlyElementsOf(expected);
  }
}

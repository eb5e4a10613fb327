package io.mgtm.group.net;

import static io.mgtm.group.net.LoopbackMember.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.jgroups.Message;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels of JGroups in this JVM; one of them can be kept from hearing multicasts. */
@Timeout(60)
class GroupNakackTest {
  private static final int MESSAGES = 50;
  private final List<LoopbackMember<Deaf>> members = new ArrayList<>();

  /** What others multicast is lost here while it is deaf; what is sent to it alone comes. */
  private static final class Deaf extends Protocol {
    private volatile boolean deaf;

    private boolean isLost(Message message) {
      return deaf && message.getDest() == null && !local_addr.equals(message.getSrc());
    }

    @Override
    public Object up(Message message) {
      return isLost(message) ? null : up_prot.up(message);
    }

    @Override
    public void up(MessageBatch batch) {
      batch.removeIf(this::isLost, true);
      if (!batch.isEmpty()) {
        up_prot.up(batch);
      }
    }
  }

  @AfterEach
  void close() {
    members.forEach(LoopbackMember::close);
  }

  private static GroupNakack multicast(int capacity) {
    GroupNakack multicast = new GroupNakack();
    multicast.capacity(capacity).setXmitInterval(20);
    return multicast;
  }

  private LoopbackMember<Deaf> join(String name, GroupNakack multicast) throws Exception {
    GMS membership = new GMS().setJoinTimeout(2_000).setViewAckCollectionTimeout(200);
    LoopbackMember<Deaf> member =
        new LoopbackMember<>("nakack-test", name, new Deaf(), multicast, membership);
    members.add(member);
    return member;
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 16_384})
  void newMemberHearsOneThatSawItJoinLaterThanOthers(int capacity) throws Exception {
    LoopbackMember<Deaf> coordinator = join("a", multicast(capacity));
    GroupNakack ofTheLate = multicast(capacity);
    LoopbackMember<Deaf> late = join("b", ofTheLate);
    await("a view of two", () -> coordinator.channel.getView().size() == 2);
    late.link.deaf = true;
    LoopbackMember<Deaf> joined = join("c", multicast(capacity));
    joined.link.deaf = true; // over TCP it would not be sent what goes to the view before
    for (int i = 0; i < MESSAGES; i++) {
      late.multicast("to the view before " + i);
    }
    await("what was sent", () -> coordinator.heard.size() == MESSAGES);
    await("nothing to keep", () -> ofTheLate.printAckTable().contains("min: " + MESSAGES));
    late.link.deaf = false;
    joined.link.deaf = false;
    await("a view of three", () -> late.channel.getView().size() == 3);
    late.multicast("to all");
    await("it at the old member", () -> coordinator.heard.contains("to all"));
    await("it at the new member", () -> joined.heard.contains("to all"));
  }

  @Test
  void nothingIsPassedOverThatIsKept() throws Exception {
    LoopbackMember<Deaf> sender = join("a", multicast(16_384));
    LoopbackMember<Deaf> deaf = join("b", multicast(16_384));
    await("a view of two", () -> sender.channel.getView().size() == 2);
    deaf.link.deaf = true;
    for (int i = 0; i < MESSAGES; i++) {
      sender.multicast("message " + i);
    }
    deaf.link.deaf = false;
    sender.multicast("last");
    await("all", () -> deaf.heard.contains("last"));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      expected.add("message " + i);
    }
    expected.add("last");
    assertThat(deaf.heard).containsExactlyElementsOf(expected);
  }
}

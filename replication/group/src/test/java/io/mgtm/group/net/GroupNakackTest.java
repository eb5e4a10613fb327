package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.SHARED_LOOPBACK;
import org.jgroups.protocols.SHARED_LOOPBACK_PING;
import org.jgroups.protocols.UNICAST4;
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
  private final List<Member> members = new ArrayList<>();

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

  private static final class Member implements Receiver {
    private final Deaf link = new Deaf();
    private final GroupNakack multicast = new GroupNakack();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final JChannel channel;

    Member(String name, int capacity) throws Exception {
      multicast.capacity(capacity).setXmitInterval(20);
      List<Protocol> stack = new ArrayList<>();
      stack.add(new SHARED_LOOPBACK());
      stack.add(new SHARED_LOOPBACK_PING());
      stack.add(link);
      stack.add(multicast);
      stack.add(new UNICAST4());
      stack.add(
          new GMS()
              .setJoinTimeout(2_000)
              .setViewAckCollectionTimeout(200)
              .printLocalAddress(false));
      stack.add(new FRAG4().setFragSize(1_000));
      channel = new JChannel(stack);
      channel.name(name);
      channel.setReceiver(this);
      channel.setDiscardOwnMessages(true);
      channel.connect("nakack-test");
    }

    @Override
    public void receive(Message message) {
      heard.add(new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8));
    }

    void multicast(String text) throws Exception {
      channel.send(new BytesMessage(null, text.getBytes(UTF_8)));
    }
  }

  @AfterEach
  void close() {
    members.forEach(member -> member.channel.close());
  }

  private Member join(String name, int capacity) throws Exception {
    Member member = new Member(name, capacity);
    members.add(member);
    return member;
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited in vain for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 16_384})
  void newMemberHearsOneThatSawItJoinLaterThanOthers(int capacity) throws Exception {
    Member coordinator = join("a", capacity);
    Member late = join("b", capacity);
    await("a view of two", () -> coordinator.channel.getView().size() == 2);
    late.link.deaf = true;
    Member joined = join("c", capacity);
    joined.link.deaf = true; // over TCP it would not be sent what goes to the view before
    for (int i = 0; i < MESSAGES; i++) {
      late.multicast("to the view before " + i);
    }
    await("what was sent", () -> coordinator.heard.size() == MESSAGES);
    await("nothing to keep", () -> late.multicast.printAckTable().contains("min: " + MESSAGES));
    late.link.deaf = false;
    joined.link.deaf = false;
    await("a view of three", () -> late.channel.getView().size() == 3);
    late.multicast("to all");
    await("it at the old member", () -> coordinator.heard.contains("to all"));
    await("it at the new member", () -> joined.heard.contains("to all"));
  }

  @Test
  void nothingIsPassedOverThatIsKept() throws Exception {
    Member sender = join("a", 16_384);
    Member deaf = join("b", 16_384);
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

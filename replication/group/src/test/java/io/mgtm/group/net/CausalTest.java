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

/** Channels of JGroups in this JVM; the link from one member to another can be made slow. */
@Timeout(60)
class CausalTest {
  private final List<Member> members = new ArrayList<>();

  /** Below the multicast: what comes from one member is late. */
  private static final class SlowLink extends Protocol {
    private final List<Message> held = new ArrayList<>();
    private String from = "";

    synchronized void hold(String member) {
      from = member;
    }

    void release() {
      List<Message> late;
      synchronized (this) {
        from = "";
        late = List.copyOf(held);
        held.clear();
      }
      late.forEach(up_prot::up);
    }

    private synchronized boolean isHeld(Message message) {
      boolean hold = message.getSrc() != null && from.equals(message.getSrc().toString());
      if (hold) {
        held.add(message);
      }
      return hold;
    }

    @Override
    public Object up(Message message) {
      return isHeld(message) ? null : up_prot.up(message);
    }

    @Override
    public void up(MessageBatch batch) {
      batch.removeIf(this::isHeld, true);
      if (!batch.isEmpty()) {
        up_prot.up(batch);
      }
    }
  }

  private static final class Member implements Receiver {
    private final SlowLink link = new SlowLink();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final JChannel channel;

    Member(String name, boolean causal) throws Exception {
      List<Protocol> stack = new ArrayList<>();
      stack.add(new SHARED_LOOPBACK());
      stack.add(new SHARED_LOOPBACK_PING());
      stack.add(link);
      stack.add(new GroupNakack());
      stack.add(new UNICAST4());
      stack.add(new GMS().setJoinTimeout(200).printLocalAddress(false));
      stack.add(new FRAG4().setFragSize(1_000));
      if (causal) {
        stack.add(new Causal());
      }
      channel = new JChannel(stack);
      channel.name(name);
      channel.setReceiver(this);
      channel.setDiscardOwnMessages(true);
      channel.connect("causal-test");
    }

    @Override
    public void receive(Message message) {
      heard.add(new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8));
    }

    void multicast(String text) throws Exception {
      channel.send(new BytesMessage(null, text.getBytes(UTF_8)));
    }

    void tell(Member other, String text) throws Exception {
      channel.send(new BytesMessage(other.channel.getAddress(), text.getBytes(UTF_8)));
    }
  }

  @AfterEach
  void close() {
    members.forEach(member -> member.channel.close());
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

  private List<Member> three(boolean causal) throws Exception {
    for (String name : List.of("a", "b", "c")) {
      members.add(new Member(name, causal));
    }
    await(
        "one view",
        () -> members.stream().allMatch(member -> member.channel.getView().size() == 3));
    return List.copyOf(members);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answerComesBeforeItsQuestionOverFifoAloneAndNeverInCausalOrder(boolean causal)
      throws Exception {
    List<Member> three = three(causal);
    Member c = three.get(2);
    c.link.hold("a");
    three.get(0).multicast("question");
    await("the question", () -> three.get(1).heard.contains("question"));
    three.get(1).multicast("answer");
    if (!causal) {
      await("the answer", () -> c.heard.contains("answer"));
    }
    await("the answer elsewhere", () -> three.get(0).heard.contains("answer"));
    c.link.release();
    await("both", () -> c.heard.size() == 2);
    assertThat(c.heard)
        .isEqualTo(causal ? List.of("question", "answer") : List.of("answer", "question"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void messagesToOneMemberFollowEachOtherThroughAThird(boolean causal) throws Exception {
    List<Member> three = three(causal);
    Member a = three.get(0);
    Member b = three.get(1);
    Member c = three.get(2);
    c.link.hold("a");
    a.tell(c, "first");
    a.tell(b, "go on");
    await("the word to go on", () -> b.heard.contains("go on"));
    b.tell(c, "second");
    b.tell(a, "done");
    await("the end", () -> a.heard.contains("done"));
    if (!causal) {
      await("the second", () -> c.heard.contains("second"));
    }
    c.link.release();
    await("both", () -> c.heard.size() == 2);
    assertThat(c.heard).isEqualTo(causal ? List.of("first", "second") : List.of("second", "first"));
    assertThat(b.heard).as("what is for others does not come").containsExactly("go on");
    assertThat(a.heard).containsExactly("done");
  }

  @Test
  void membersThatJoinAndLeaveStopNothing() throws Exception {
    List<Member> three = three(true);
    for (int i = 0; i < 100; i++) {
      three.get(i % 3).multicast("before " + i);
    }
    Member d = new Member("d", true);
    members.add(d);
    await("four", () -> three.stream().allMatch(member -> member.channel.getView().size() == 4));
    for (int i = 0; i < 100; i++) {
      three.get(i % 3).multicast("x".repeat(i % 2 * 3_000) + "with d " + i);
    }
    d.multicast("of d");
    await(
        "all of it", () -> d.heard.stream().filter(text -> text.contains("with d")).count() == 100);
    await("word of d", () -> three.stream().allMatch(member -> member.heard.contains("of d")));
    three.get(0).channel.close();
    Member b = three.get(1);
    Member c = three.get(2);
    await("a has left", () -> b.channel.getView().size() == 3 && c.channel.getView().size() == 3);
    b.multicast("after");
    await("the rest goes on", () -> c.heard.contains("after") && d.heard.contains("after"));
    assertThat(c.heard.stream().filter(text -> text.contains("with d"))).hasSize(67);
  }
}

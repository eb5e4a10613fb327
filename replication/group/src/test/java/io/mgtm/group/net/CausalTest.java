package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.Message;
import org.jgroups.protocols.NAKACK4;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels of JGroups in this JVM; the link from one member to another can be made slow. */
class CausalTest {
  private final List<LoopbackMember<SlowLink>> members = new ArrayList<>();

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

  private static LoopbackMember<SlowLink> member(String name, boolean causal) throws Exception {
    return new LoopbackMember<>(
        "causal-test",
        name,
        new SlowLink(),
        new NAKACK4(),
        new GMS().setJoinTimeout(200),
        causal ? new Protocol[] {new Causal()} : new Protocol[0]);
  }

  @AfterEach
  void close() {
    members.forEach(LoopbackMember::close);
  }

  private List<LoopbackMember<SlowLink>> three(boolean causal) throws Exception {
    for (String name : List.of("a", "b", "c")) {
      members.add(member(name, causal));
    }
    Await.until(
        "one view",
        () -> members.stream().allMatch(member -> member.channel.getView().size() == 3));
    return List.copyOf(members);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answerComesBeforeItsQuestionOverFifoAloneAndNeverInCausalOrder(boolean causal)
      throws Exception {
    List<LoopbackMember<SlowLink>> three = three(causal);
    LoopbackMember<SlowLink> c = three.get(2);
    c.link.hold("a");
    three.get(0).multicast("question");
    Await.until("the question", () -> three.get(1).heard.contains("question"));
    three.get(1).multicast("answer");
    if (!causal) {
      Await.until("the answer", () -> c.heard.contains("answer"));
    }
    Await.until("the answer elsewhere", () -> three.get(0).heard.contains("answer"));
    c.link.release();
    Await.until("both", () -> c.heard.size() == 2);
    assertThat(c.heard)
        .isEqualTo(causal ? List.of("question", "answer") : List.of("answer", "question"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void messagesToOneMemberFollowEachOtherThroughAThird(boolean causal) throws Exception {
    List<LoopbackMember<SlowLink>> three = three(causal);
    LoopbackMember<SlowLink> a = three.get(0);
    LoopbackMember<SlowLink> b = three.get(1);
    LoopbackMember<SlowLink> c = three.get(2);
    c.link.hold("a");
    a.tell(c, "first");
    a.tell(b, "go on");
    Await.until("the word to go on", () -> b.heard.contains("go on"));
    b.tell(c, "second");
    b.tell(a, "done");
    Await.until("the end", () -> a.heard.contains("done"));
    if (!causal) {
      Await.until("the second", () -> c.heard.contains("second"));
    }
    c.link.release();
    Await.until("both", () -> c.heard.size() == 2);
    assertThat(c.heard).isEqualTo(causal ? List.of("first", "second") : List.of("second", "first"));
    assertThat(b.heard).as("what is for others does not come").containsExactly("go on");
    assertThat(a.heard).containsExactly("done");
  }

  @Test
  void membersThatJoinAndLeaveStopNothing() throws Exception {
    List<LoopbackMember<SlowLink>> three = three(true);
    for (int i = 0; i < 100; i++) {
      three.get(i % 3).multicast("before " + i);
    }
    LoopbackMember<SlowLink> d = member("d", true);
    members.add(d);
    Await.until(
        "four", () -> three.stream().allMatch(member -> member.channel.getView().size() == 4));
    for (int i = 0; i < 100; i++) {
      three.get(i % 3).multicast("x".repeat(i % 2 * 3_000) + "with d " + i);
    }
    d.multicast("of d");
    Await.until(
        "all of it", () -> d.heard.stream().filter(text -> text.contains("with d")).count() == 100);
    Await.until(
        "word of d", () -> three.stream().allMatch(member -> member.heard.contains("of d")));
    three.get(0).channel.close();
    LoopbackMember<SlowLink> b = three.get(1);
    LoopbackMember<SlowLink> c = three.get(2);
    Await.until(
        "a has left", () -> b.channel.getView().size() == 3 && c.channel.getView().size() == 3);
    b.multicast("after");
    Await.until("the rest goes on", () -> c.heard.contains("after") && d.heard.contains("after"));
    assertThat(c.heard.stream().filter(text -> text.contains("with d"))).hasSize(67);
  }
}

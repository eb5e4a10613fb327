package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How a gateway attaches its sessions at a leader. */
class AttachTest {
  private final SimTime time = new SimTime();
  private final List<Long> attachesMs = new ArrayList<>();
  private final List<Long> attached = new ArrayList<>();
  private final List<String> sent = new ArrayList<>();
  private boolean inUse = true;
  private boolean answersAttach = true;
  private LinkListener listener;

  private final GroupUpstream upstream =
      new GroupUpstream(
          "p1",
          new LinkNodes(List.of(new Node()), address -> new Node()),
          time,
          new SplittableRandom(1),
          () -> {},
          new GatewayMetrics(new SimpleMeterRegistry()));

  private void run(long untilMs) {
    while (time.millis() < untilMs && time.step()) {}
  }

  @Test
  void aNameInUseIsTriedEverMoreSeldomUntilItIsFree() {
    upstream.start();
    run(60_000);
    assertThat(attachesMs).hasSizeBetween(8, 14);
    assertThat(upstream.trouble())
        .contains("another gateway named \"p1\" is connected")
        .contains("Give each proxy a name of its own");
    inUse = false;
    run(70_000);
    assertThat(upstream.trouble()).isEmpty();
    upstream.close();
  }

  @Test
  void sessionsInUseAreAttachedBeforeOneThatBeginsSinceThatEndsWhatIsNotAttached() {
    upstream.start();
    List<Long> used = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      UpstreamSession own = upstream.open();
      submit(own, 1);
      used.add(own.id());
    }
    run(10);
    upstream.flush();
    attached.clear();
    newLeader();
    assertThat(attached.subList(0, 5)).containsExactlyInAnyOrderElementsOf(used);
    assertThat(attached.subList(5, 6)).containsExactly(upstream.shared().id());
    upstream.close();
  }

  /** The one that may serve, another of its name, would be refused as long as this one has it. */
  @Test
  void whoServesNoClientsGivesTheSessionUp() {
    inUse = false;
    upstream.start();
    run(1_000);
    upstream.serves(true);
    upstream.serves(false);
    upstream.serves(false);
    newLeader();
    run(60_000);
    assertThat(sent).containsExactly("attach", "close attached");
    upstream.serves(true);
    run(70_000);
    assertThat(sent).containsExactly("attach", "close attached", "attach");
    assertThat(upstream.trouble()).isEmpty();
    upstream.close();
  }

  private UpstreamSession sessionInUse(int commands) {
    upstream.start();
    UpstreamSession session = upstream.open();
    submit(session, 1);
    run(10);
    upstream.flush();
    assertThat(sent).contains("1 from 1");
    submit(session, commands - 1);
    sent.clear();
    answersAttach = false;
    return session;
  }

  private static void submit(UpstreamSession session, int commands) {
    for (int i = 0; i < commands; i++) {
      session.submit((short) 1, new SequenceCommand.NextValue("s"), new NoTarget());
    }
  }

  private void newLeader() {
    listener.leadership(new Leadership(true, 2, "g1", "g1", "h:1", null));
  }

  @Test
  void whatHasNoReplyIsSentWithTheRequestToAttach() {
    UpstreamSession session = sessionInUse(3);
    submit(upstream.shared(), 1);
    newLeader();
    // The shared one was never used: nobody may have opened it.
    assertThat(sent).containsExactly("attach", "3 from 1", "attach");
    sent.clear();
    submit(session, 1);
    upstream.flush();
    assertThat(sent).as("nothing more before it is attached").isEmpty();
    listener.attached(session.id(), 1);
    upstream.flush();
    assertThat(sent).containsExactly("1 from 4");
    upstream.close();
  }

  @Test
  void aLeaderKeepsLittleOfASessionThatIsNotAttached() {
    UpstreamSession session = sessionInUse(5_000);
    newLeader();
    assertThat(sent).hasSize(3);
    int first = Integer.parseInt(sent.get(1).substring(0, sent.get(1).indexOf(' ')));
    assertThat(first).isBetween(100, GroupSession.FIRST_BYTES);
    sent.clear();
    listener.attached(session.id(), 1);
    upstream.flush();
    assertThat(sent).containsExactly((5_000 - first) + " from " + (first + 1));
    upstream.close();
  }

  @Test
  void aSessionIsLostWhereTheGroupKnowsCommandsThatWereNeverSent() {
    UpstreamSession session = sessionInUse(1);
    List<String> lost = new ArrayList<>();
    session.join(
        new SessionClient() {
          @Override
          public void resume() {}

          @Override
          public void sessionLost(String message, String hint) {
            lost.add(message);
          }
        });
    newLeader();
    submit(session, 5);
    listener.attached(session.id(), 4);
    assertThat(lost).singleElement().asString().contains("never sent");
    upstream.close();
  }

  @Test
  void aRefusedAttachmentIsRefusedOnceHoweverManyCommandsCameWithIt() {
    UpstreamSession session = sessionInUse(2);
    newLeader();
    listener.refused(session.id(), RefusalCode.LIMITS, "there is no room", "Make some.");
    listener.refused(session.id(), RefusalCode.NOT_LEADING, "this node does not lead", "");
    assertThat(upstream.describe()).isEqualTo("a group led by g1 in term 2");
    sent.clear();
    run(time.millis() + 2 * GroupUpstream.RETRY_MS + 1);
    assertThat(sent).startsWith("attach", "2 from 1");
    upstream.close();
  }

  private static final class NoTarget implements ReplyTarget {
    @Override
    public void reply(boolean close, ByteBuf bytes) {
      throw new AssertionError("nothing is answered");
    }

    @Override
    public void lost(String message, String hint) {
      assertThat(message).contains("never sent");
    }
  }

  private final class Node extends IdleLink implements LinkConnector {
    @Override
    public String address() {
      return "h:1";
    }

    @Override
    public Link connect(LinkListener to) {
      listener = to;
      time.after(1, () -> to.leadership(new Leadership(true, 1, "g1", "g1", "h:1", null)));
      return this;
    }

    @Override
    public void attach(long session, boolean fresh, long acked, boolean proxied) {
      attachesMs.add(time.millis());
      attached.add(session);
      sent.add("attach");
      if (!answersAttach) {
        return;
      }
      time.after(
          1,
          () -> {
            if (inUse && !proxied) {
              listener.refused(
                  session,
                  RefusalCode.NAME_IN_USE,
                  "another gateway named \"p1\" is connected",
                  "Give each proxy a name of its own.");
            } else {
              listener.attached(session, 0);
            }
          });
    }

    @Override
    public void present(LinkEntries entries) {
      throw new AssertionError("nothing was given");
    }

    @Override
    public void commands(long session, long acked, long first, int count, ByteBuf commands) {
      assertThat(attached).contains(session);
      sent.add(count + " from " + first);
    }

    @Override
    public void pull(long id, boolean more) {
      throw new AssertionError("no long reply was told");
    }

    @Override
    public void ping(long nonce) {
      time.after(1, () -> listener.pong(nonce));
    }

    @Override
    public void closeSession(long session) {
      sent.add("close " + (attached.contains(session) ? "attached" : "unknown"));
    }

    @Override
    public void close() {
      listener = null;
    }
  }
}

package io.mgtm.gtm.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which node is taken for the leader, and when a link is given up. */
class LinkSetTest {
  private final SimTime time = new SimTime();
  private final Map<String, Node> nodes = new HashMap<>();
  private final List<String> told = new ArrayList<>();
  private int outstanding;
  private final LinkSet links =
      new LinkSet(this::node, new Leaders(), time, new SplittableRandom(1));

  private Node node(String address) {
    return nodes.computeIfAbsent(address, Node::new);
  }

  private Node known(String address) {
    Node node = node(address);
    links.add(node);
    return node;
  }

  private void run(long ms) {
    long end = time.millis() + ms;
    time.after(ms, () -> {});
    while (time.millis() < end && time.step()) {}
  }

  @Test
  void theLeaderOfTheHighestTermIsTaken() {
    Node g1 = known("g1");
    Node g2 = known("g2");
    g1.stands(true, 3, "");
    g2.stands(false, 3, "");
    assertThat(told).containsExactly("g1 in 3");
    g2.stands(true, 5, "");
    g1.stands(true, 3, "");
    assertThat(told).containsExactly("g1 in 3", "g2 in 5");
    g1.stands(false, 5, "");
    g2.stands(true, 6, "");
    assertThat(told).containsExactly("g1 in 3", "g2 in 5", "g2 in 6");
    g2.stands(false, 6, "");
    assertThat(told).endsWith("nobody");
  }

  @Test
  void aBrokenLinkIsOpenedAgainAndItsLeaderTakenAnew() {
    Node g1 = known("g1");
    g1.stands(true, 3, "");
    g1.listener.closed("it was cut");
    assertThat(told).containsExactly("g1 in 3", "nobody");
    run(100);
    assertThat(g1.opened).isEqualTo(2);
    g1.stands(true, 3, "");
    assertThat(told).containsExactly("g1 in 3", "nobody", "g1 in 3");
  }

  /** In mode total several say that they lead. */
  @Test
  void afterARefusalTheLeadershipThatFollowsDecides() {
    Node g1 = known("g1");
    Node g2 = known("g2");
    g1.stands(true, 1, "");
    g2.stands(true, 1, "");
    links.leaderRefused();
    assertThat(told).containsExactly("g1 in 1", "nobody");
    g1.stands(true, 1, "");
    assertThat(told).containsExactly("g1 in 1", "nobody", "g1 in 1");
    links.leaderRefused();
    g1.stands(false, 1, "");
    assertThat(told).endsWith("nobody", "g2 in 1");
  }

  @Test
  void whereTheLinkBreaksAfterARefusalAnotherIsTaken() {
    Node g1 = known("g1");
    Node g2 = known("g2");
    g1.stands(true, 1, "");
    g2.stands(true, 1, "");
    links.leaderRefused();
    g1.listener.closed("it was cut");
    assertThat(told).containsExactly("g1 in 1", "nobody", "g2 in 1");
  }

  @Test
  void triesComeMoreSeldomTheLongerANodeIsAway() {
    Node g1 = node("g1");
    g1.away = true;
    links.add(g1);
    run(1_000);
    assertThat(g1.opened).isBetween(5, 12);
    int first = g1.opened;
    run(10_000);
    assertThat(g1.opened - first).isBetween(9, 21);
  }

  @Test
  void aLeaderThatDoesNotAnswerLosesToAnotherOneAndItsLinkIsOpenedAnew() {
    Node g1 = known("g1");
    Node g2 = known("g2");
    g1.stands(true, 7, "");
    g2.stands(true, 6, "");
    assertThat(told).containsExactly("g1 in 7");
    g1.answers = false;
    run(2_000);
    assertThat(told).as("nothing was outstanding").containsExactly("g1 in 7");
    outstanding = 1;
    links.watch();
    run(1_000);
    assertThat(told).containsExactly("g1 in 7");
    run(1_000);
    assertThat(told).containsExactly("g1 in 7", "g2 in 6");
    run(2_500);
    assertThat(g1.opened).isGreaterThanOrEqualTo(2);
  }

  /** So the node knows that the gateway lives, and the gateway that the node does. */
  @Test
  void pingsGoOutWhileNothingIsAsked() {
    Node g1 = known("g1");
    Node g2 = known("g2");
    g1.stands(true, 7, "");
    g2.stands(false, 7, "");
    run(100L * LinkFormat.BEAT_MS);
    assertThat(g1.pings).isBetween(95, 100);
    assertThat(g1.opened).isEqualTo(1);
    g2.answers = false;
    run(3L * LinkFormat.BEAT_MS);
    assertThat(g2.opened).as("a node that hangs").isGreaterThan(1);
    assertThat(told).containsExactly("g1 in 7");
  }

  @Test
  void aLeaderThatAnswersLateIsKeptWhileNoOtherLeads() {
    Node g1 = known("g1");
    g1.stands(true, 7, "");
    g1.answers = false;
    outstanding = 1;
    links.watch();
    run(2_500);
    assertThat(told).containsExactly("g1 in 7");
    assertThat(g1.opened).isEqualTo(1);
  }

  @Test
  void aLeaderThatOthersTellOfIsLinkedTo() {
    Node g1 = known("g1");
    g1.stands(false, 3, "g9");
    Node g9 = nodes.get("g9");
    assertThat(g9.opened).isEqualTo(1);
    g9.stands(true, 3, "g9");
    assertThat(told).containsExactly("g9 in 3");
    g1.stands(false, 3, "g9");
    assertThat(g9.opened).isEqualTo(1);
  }

  /** Another process, or this one when it is started again, might take the other one. */
  @Test
  void whileTheListNamesTwoGroupsNoneIsServed() {
    Node g1 = known("g1");
    Node h1 = known("h1");
    Node g2 = known("g2");
    g1.stands(true, 3, "g1", new UUID(1, 1));
    h1.stands(false, 9, "h2", new UUID(2, 2));
    g2.listener.closed("nobody is there");
    run(5_000);
    assertThat(told).isEmpty();
    assertThat(links.stranger())
        .contains("g1 at g1 and h1 at h1 are of two groups")
        .contains("start this process again");
    h1.stands(false, 3, "g1", new UUID(1, 1));
    assertThat(told).as("it was given the group's data").containsExactly("g1 in 3");
    assertThat(links.stranger()).isEmpty();
  }

  @Test
  void whoCannotBeReachedIsNotWaitedForAndWhoDoesNotAnswerForAWhile() {
    UUID mine = new UUID(1, 1);
    Node g1 = known("g1");
    Node g2 = known("g2");
    Node g3 = known("g3");
    g1.stands(true, 3, "g1", mine);
    g2.listener.closed("nobody is there");
    assertThat(told).isEmpty();
    run(LinkSet.SURVEY_MS - 10);
    assertThat(told).isEmpty();
    run(20);
    assertThat(told).containsExactly("g1 in 3");
    g3.stands(true, 9, "g3", new UUID(2, 2));
    assertThat(told).containsExactly("g1 in 3");
    assertThat(links.stranger()).contains("g3 at g3 is of another group");
  }

  /** It stands in the list by mistake, could not be reached at first, and has the higher term. */
  @Test
  void aNodeOfAnotherGroupIsNeverTakenForTheLeader() {
    UUID mine = new UUID(1, 1);
    Node g1 = known("g1");
    Node other = known("h1");
    other.listener.closed("nobody is there");
    run(100);
    g1.stands(true, 3, "g1", mine);
    other.stands(true, 9, "h2", new UUID(2, 2));
    assertThat(told).containsExactly("g1 in 3");
    assertThat(nodes).as("nor are its friends").doesNotContainKey("h2");
    assertThat(links.stranger()).contains("h1 at h1 is of another group");
    g1.listener.closed("it was killed");
    run(5_000);
    other.stands(true, 9, "h2", new UUID(2, 2));
    assertThat(told).containsExactly("g1 in 3", "nobody");
    Node g2 = known("g2");
    g2.stands(true, 4, "g2", mine);
    assertThat(told).containsExactly("g1 in 3", "nobody", "g2 in 4");
    other.listener.closed("it was stopped");
    assertThat(links.stranger()).as("it may come back").isNotEmpty();
    run(5_000);
    other.stands(false, 4, "", mine);
    assertThat(links.stranger()).isEmpty();
  }

  @Test
  void aNodeThatDoesNotSayOfWhichGroupItIsIsTaken() {
    Node g1 = known("g1");
    Node g2 = known("g2");
    g1.stands(true, 3, "");
    g2.stands(true, 4, "", new UUID(1, 1));
    g1.stands(true, 5, "");
    assertThat(told).containsExactly("g1 in 3", "g2 in 4", "g1 in 5");
    assertThat(links.stranger()).isEmpty();
  }

  @Test
  void nodesThatAreToldOfAreBounded() {
    Node g1 = known("g1");
    for (int i = 0; i < 100; i++) {
      g1.stands(false, i, "n" + i);
    }
    assertThat(nodes).hasSize(17);
  }

  @Test
  void nothingIsOpenedOnceItIsClosed() {
    Node g1 = known("g1");
    g1.stands(true, 3, "");
    links.close();
    g1.listener.closed("closed");
    run(5_000);
    assertThat(g1.opened).isEqualTo(1);
    assertThat(told).containsExactly("g1 in 3");
  }

  private final class Node implements LinkConnector, Link {
    private final String name;
    private LinkListener listener;
    private int opened;
    private int pings;
    private boolean away;
    private boolean answers = true;

    Node(String name) {
      this.name = name;
    }

    @Override
    public String address() {
      return name;
    }

    @Override
    public Link connect(LinkListener to) {
      listener = to;
      opened++;
      if (away) {
        time.after(0, () -> to.closed("nobody is there"));
      }
      return this;
    }

    @Override
    public void present(LinkEntries entries) {
      told.add("presented " + entries.first());
    }

    void stands(boolean leading, long term, String leader) {
      stands(leading, term, leader, null);
    }

    void stands(boolean leading, long term, String leader, UUID group) {
      listener.leadership(new Leadership(leading, term, name, leader, leader, group));
    }

    @Override
    public void attach(long session, boolean fresh, long acked, boolean proxied) {}

    @Override
    public void commands(long session, long acked, long first, int count, ByteBuf commands) {}

    @Override
    public void pull(long id, boolean more) {
      throw new AssertionError("no long reply was told");
    }

    @Override
    public void closeSession(long session) {}

    @Override
    public void ping(long nonce) {
      pings++;
      if (answers) {
        LinkListener to = listener;
        time.after(1, () -> to.pong(nonce));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      LinkListener to = listener;
      time.after(0, () -> to.closed("it was closed"));
    }
  }

  private final class Leaders implements LeaderListener {
    @Override
    public void leads(Link link, Leadership leadership) {
      told.add(leadership.member() + " in " + leadership.term());
    }

    @Override
    public void nobodyLeads(String why) {
      told.add("nobody");
    }

    @Override
    public void attached(long session, long last) {}

    @Override
    public void refused(long session, RefusalCode code, String message, String hint) {}

    @Override
    public void reply(long session, long number, boolean close, ByteBuf bytes) {}

    @Override
    public void pieces(long session, long number, long id, long bytes) {}

    @Override
    public void piece(Link link, long id, ByteBuf bytes) {}

    @Override
    public void closed(Link link) {}

    @Override
    public void garbled() {}

    @Override
    public void entries(LinkEntries entries) {
      told.add("entries from " + entries.first());
    }

    @Override
    public int outstanding() {
      return outstanding;
    }
  }
}

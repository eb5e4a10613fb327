package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The short way of small messages, between channels of the group's stack on loopback. */
@Timeout(60)
class GroupTcpTest {
  private final List<Member> members = new ArrayList<>();

  private static final class Member implements Receiver {
    private final List<String> heard = new CopyOnWriteArrayList<>();
    /** Whether the thread that reads a connection has brought a message, and whether another has. */
    private final Set<Boolean> isOnReader = ConcurrentHashMap.newKeySet();

    private final JChannel channel;
    private volatile CountDownLatch busy = new CountDownLatch(0);

    Member(String name, InetSocketAddress own, List<InetSocketAddress> all) throws Exception {
      channel = new JChannel(JGroupsStack.of(JGroupsSettings.of("t", own, all))).name(name);
      channel.setReceiver(this);
      channel.setDiscardOwnMessages(true);
      channel.connect("tcp-test");
    }

    @Override
    public void receive(Message message) {
      try {
        busy.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      isOnReader.add(
          StackWalker.getInstance()
              .walk(frames -> frames.anyMatch(f -> f.getClassName().contains("TcpConnection"))));
      heard.add(new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8));
    }

    /** Returns when all have heard what was sent so far. */
    void sendLast(List<Member> all) {
      try {
        send(null, "last", true);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      NetMembers.await(
          "the last", () -> all.stream().skip(1).allMatch(m -> m.heard.contains("last")));
    }

    void send(Address to, String text, boolean shortWay) throws Exception {
      Message message = new BytesMessage(to, text.getBytes(UTF_8));
      message.setFlag(Message.TransientFlag.DONT_BLOCK, Message.TransientFlag.DONT_LOOPBACK);
      if (shortWay) {
        message.setFlag(Message.Flag.NO_RELIABILITY);
      }
      channel.send(message);
    }
  }

  private void start(int count) throws Exception {
    List<InetSocketAddress> addresses = NetMembers.addresses(count);
    for (int i = 0; i < count; i++) {
      members.add(new Member("m" + i, addresses.get(i), addresses));
    }
    NetMembers.await(
        "one view",
        () -> members.stream().allMatch(member -> member.channel.getView().size() == count));
  }

  /** The first messages make the connections, and go JGroups' way. */
  private void useConnections() {
    NetMembers.await(
        "the short way",
        () -> {
          try {
            members.get(0).send(null, "first", true);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          return members.stream().skip(1).allMatch(member -> member.isOnReader.contains(true));
        });
    members.get(0).sendLast(members);
    members.forEach(member -> member.heard.clear());
    members.forEach(member -> member.isOnReader.clear());
  }

  @AfterEach
  void close() {
    members.forEach(member -> member.busy.countDown());
    members.forEach(member -> member.channel.close());
  }

  @Test
  void smallMessagesComeInOrderOnTheThreadThatReadsTheConnection() throws Exception {
    start(3);
    List<String> words = IntStream.range(0, 500).mapToObj(i -> "w" + i).toList();
    Member from = members.get(0);
    useConnections();
    for (String word : words) {
      from.send(null, word, true);
    }
    for (Member to : members.subList(1, 3)) {
      NetMembers.await("all words", () -> to.heard.size() == words.size());
      assertThat(to.heard).isEqualTo(words);
      assertThat(to.isOnReader).containsExactly(true);
    }
  }

  @Test
  void messagesWithReliabilityTakeJGroupsOwnWay() throws Exception {
    start(2);
    members.get(0).send(null, "one", false);
    members.get(0).send(members.get(1).channel.getAddress(), "two", false);
    NetMembers.await("both", () -> members.get(1).heard.size() == 2);
    assertThat(members.get(1).isOnReader).containsExactly(false);
  }

  @Test
  void messageToOneMemberComesToThatOneOnly() throws Exception {
    start(3);
    members.get(0).send(members.get(1).channel.getAddress(), "for one", true);
    members.get(0).send(null, "for all", true);
    NetMembers.await("both", () -> members.get(1).heard.size() == 2);
    NetMembers.await("one", () -> members.get(2).heard.size() == 1);
    assertThat(members.get(2).heard).containsExactly("for all");
  }

  @Test
  void senderDoesNotWaitForAMemberThatReadsNothing() throws Exception {
    start(2);
    Member slow = members.get(1);
    slow.busy = new CountDownLatch(1);
    String large = "x".repeat(10_000);
    long begun = System.nanoTime();
    for (int i = 0; i < 5_000; i++) {
      members.get(0).send(null, large, true);
    }
    assertThat(System.nanoTime() - begun).as("50 MB to nobody, ns").isLessThan(10_000_000_000L);
    slow.busy.countDown();
    NetMembers.await("what was not dropped", () -> !slow.heard.isEmpty());
  }

  @Test
  void messageWithoutAConnectionIsSentWhenThereIsOne() throws Exception {
    start(2);
    Member from = members.get(0);
    GroupTcp tcp = from.channel.getProtocolStack().findProtocol(GroupTcp.class);
    tcp.clearConnections(true);
    from.send(members.get(1).channel.getAddress(), "after the break", true);
    NetMembers.await("the word", () -> members.get(1).heard.contains("after the break"));
  }
}

package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.group.LogException;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;
import org.jgroups.util.ByteArray;
import org.jgroups.util.Util;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupSecretTest {
  private static final String WORD = "a-word-that-nobody-else-may-read";

  @TempDir Path folder;
  private final List<Member> members = new ArrayList<>();

  /** Sees what goes to the transport, as it stands on the wire. */
  private static final class Tap extends Protocol {
    private static final short MERGE = ClassConfigurator.getProtocolId(MERGE3.class);

    private final List<String> seen = new CopyOnWriteArrayList<>();

    /** How often it told of the view that it is in. */
    private final AtomicInteger views = new AtomicInteger();

    @Override
    public Object down(Message message) {
      if (message.getHeader(MERGE) != null) {
        views.incrementAndGet();
      }
      try {
        seen.add(new String(bytes(message), ISO_8859_1));
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return down_prot.down(message);
    }

    private static byte[] bytes(Message message) throws Exception {
      ByteArray bytes = Util.messageToBuffer(message);
      return Arrays.copyOfRange(
          bytes.getArray(), bytes.getOffset(), bytes.getOffset() + bytes.getLength());
    }

    boolean hasSeen(String word) {
      return seen.stream().anyMatch(bytes -> bytes.contains(word));
    }
  }

  private static final class Member implements Receiver {
    private final Tap tap = new Tap();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final JChannel channel;

    Member(String name, JGroupsSettings settings) throws Exception {
      NettyTransport transport =
          // Who does not have the secret gets in here, to try what comes after.
          new NettyTransport(settings, Optional.empty(), Reach.VIEW, hello -> false, process -> {});
      List<Protocol> stack = JGroupsStack.of(settings, transport);
      stack.add(1, tap);
      channel = new JChannel(stack).name(name);
      channel.setReceiver(this);
    }

    Member connect() throws Exception {
      channel.connect("secret-test");
      return this;
    }

    @Override
    public void receive(Message message) {
      heard.add(new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8));
    }
  }

  @AfterEach
  void close() {
    members.forEach(member -> member.channel.close());
  }

  private GroupSecret secret(String text) throws Exception {
    return GroupSecret.read(Files.writeString(folder.resolve("secret"), text));
  }

  private Member member(String name, int own, List<InetSocketAddress> all, Optional<String> secret)
      throws Exception {
    JGroupsSettings settings = JGroupsSettings.of("test", all.get(own), all);
    Member member =
        new Member(name, secret.isPresent() ? settings.withSecret(secret(secret.get())) : settings);
    members.add(member);
    return member;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatMessagesCarryIsOnTheWireInTheClearOnlyWithoutASecret(boolean hasSecret)
      throws Exception {
    List<InetSocketAddress> two = OwnAddress.addresses(2);
    Optional<String> secret = hasSecret ? Optional.of("s".repeat(40)) : Optional.empty();
    Member a = member("a", 0, two, secret).connect();
    Member b = member("b", 1, two, secret).connect();
    Await.until("a view of two", () -> a.channel.getView().size() == 2);
    a.channel.send(new BytesMessage(null, (WORD + 1).getBytes(UTF_8)));
    Await.until("the reliable word", () -> b.heard.contains(WORD + 1));
    // The other one is lost where the receiver has not installed the view yet.
    Await.until(
        "the unreliable word",
        () -> {
          sendUnreliably(a, b, WORD + 2);
          return b.heard.contains(WORD + 2);
        });
    assertThat(b.heard).containsOnly(WORD + 1, WORD + 2);
    assertThat(a.tap.seen).isNotEmpty();
    assertThat(a.tap.hasSeen(WORD)).isEqualTo(!hasSecret);
  }

  private static void sendUnreliably(Member from, Member to, String word) {
    try {
      from.channel.send(
          new BytesMessage(to.channel.getAddress(), word.getBytes(UTF_8))
              .setFlag(Message.Flag.NO_RELIABILITY));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void membersThatLostSightOfEachOtherMergeAgain() throws Exception {
    List<InetSocketAddress> two = OwnAddress.addresses(2);
    Optional<String> secret = Optional.of("s".repeat(40));
    Member a = member("a", 0, two, secret).connect();
    Member b = member("b", 1, two, secret).connect();
    Await.until("a view of two", () -> a.channel.getView().size() == 2);
    for (Member alone : List.of(a, b)) {
      Address own = alone.channel.getAddress();
      GMS views = alone.channel.getProtocolStack().findProtocol(GMS.class);
      views.installView(View.create(own, 10, own));
    }
    assertThat(a.channel.getView().size()).isEqualTo(1);
    Await.until(
        "a view of two on both sides",
        () -> a.channel.getView().size() == 2 && b.channel.getView().size() == 2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"another", "none"})
  void memberWithoutTheSecretDoesNotJoinAndIsNotHeard(String which) throws Exception {
    List<InetSocketAddress> three = OwnAddress.addresses(3);
    Optional<String> right = Optional.of("s".repeat(40));
    Optional<String> wrong = which.equals("none") ? Optional.empty() : Optional.of("t".repeat(40));
    Member a = member("a", 0, three, right).connect();
    Member b = member("b", 1, three, right).connect();
    Await.until("a view of two", () -> a.channel.getView().size() == 2);
    Member stranger = member("stranger", 2, three, wrong).connect();
    stranger.channel.send(new BytesMessage(null, "hello".getBytes(UTF_8)));
    for (Member one : List.of(a, stranger)) {
      // Whoever understands it begins a merge of the two views by the third.
      int before = one.tap.views.get();
      Await.until("it tells of its view", () -> one.tap.views.get() >= before + 4);
    }
    a.channel.send(new BytesMessage(null, WORD.getBytes(UTF_8)));
    Await.until("the word", () -> b.heard.contains(WORD));
    assertThat(a.channel.getView().size()).isEqualTo(2);
    assertThat(b.channel.getView().size()).isEqualTo(2);
    assertThat(stranger.channel.getView().size()).isEqualTo(1);
    assertThat(stranger.heard).doesNotContain(WORD);
    assertThat(b.heard).doesNotContain("hello");
  }

  @Test
  void fileThatIsNoSecretIsRefused() {
    assertThatThrownBy(() -> secret("too short"))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("openssl rand -hex 32");
    assertThatThrownBy(() -> GroupSecret.read(folder.resolve("missing")))
        .isInstanceOf(LogException.class)
        .hasMessageContaining("cannot be read");
  }
}

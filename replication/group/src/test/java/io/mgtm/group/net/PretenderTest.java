package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.NAKACK4;
import org.jgroups.protocols.NakAckHeader;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.MaxOneThreadPerSender;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a member holds for one who says that it is another one of the view. */
class PretenderTest {
  private static final String CLUSTER = "pretender-test";
  private static final int TIMES = 2_000;
  private static final int READ_MS = 180_000;
  private static final int TEN_MB = 10_000_000;

  private final List<InetSocketAddress> places = OwnAddress.addresses(2);
  private final List<JChannel> channels = new ArrayList<>();
  private final Heard heard = new Heard();

  /** Takes its time with what is not urgent, while it is told to. */
  private static final class Heard implements Receiver {
    private final List<String> texts = new CopyOnWriteArrayList<>();
    private volatile CountDownLatch busy = new CountDownLatch(0);

    @Override
    public void receive(Message message) {
      texts.add(new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8));
      if (!message.isFlagSet(Message.Flag.OOB)) {
        try {
          busy.await(Await.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    long count(String text) {
      return texts.stream().filter(text::equals).count();
    }
  }

  private JChannel connect(int own) throws Exception {
    JGroupsSettings settings = JGroupsSettings.of(CLUSTER, places.get(own), places);
    NettyTransport transport =
        new NettyTransport(settings, Optional.empty(), Reach.VIEW, hello -> false, process -> {});
    JChannel channel = new JChannel(JGroupsStack.of(settings, transport));
    channels.add(channel);
    channel.addAddressGenerator(() -> MemberAddress.of("m" + own, settings.bind()));
    channel.setReceiver(heard);
    channel.connect(CLUSTER);
    return channel;
  }

  /** To the first of two members, as the second. */
  private Socket pretend() throws Exception {
    JChannel first = connect(0);
    JChannel second = connect(1);
    Await.until("a view of two", () -> first.getView().size() == 2);
    return pretend(places.get(0), second.getAddress(), CLUSTER);
  }

  private static Socket pretend(InetSocketAddress to, Address as, String cluster)
      throws IOException {
    UUID id = (UUID) as;
    ExtendedUUID said = new ExtendedUUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    Socket socket = new Socket(to.getAddress(), to.getPort());
    socket.setSoTimeout(READ_MS);
    Hello hello = new Hello(MemberAddress.with(said, "m1", "127.0.0.1:9"), cluster);
    socket.getOutputStream().write(LinksTest.bytesOf(hello));
    return socket;
  }

  @AfterEach
  void close() {
    heard.busy.countDown();
    channels.forEach(JChannel::close);
  }

  private static Message message(String text) {
    return new BytesMessage(null, text.getBytes(UTF_8));
  }

  private static void send(Socket over, int kind, Message message) {
    ByteBuf frame = Unpooled.buffer();
    try {
      frame.writeInt(0).writeByte(kind).writeShort(message.getType());
      message.writeToNoAddrs(null, new ByteBufOutputStream(frame));
      frame.setInt(0, frame.readableBytes() - Integer.BYTES);
      frame.readBytes(over.getOutputStream(), frame.readableBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      frame.release();
    }
  }

  /** Again and again, since it may find a queue full. */
  private void sendUntilHeard(Socket over, Message.Flag... flags) {
    String end = "end " + heard.texts.size();
    Await.until(
        "the end",
        () -> {
          send(over, Links.MULTICAST, message(end).setFlag(flags));
          return heard.texts.contains(end);
        });
  }

  /** Until the other end closes it. */
  private static void awaitEnd(Socket socket) throws IOException {
    try {
      socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      assertThat(e).as("it was reset").isNotNull();
    }
  }

  @Test
  void messagesBeforeTheirTurnAreHeldUpToABound() throws Exception {
    try (Socket socket = pretend()) {
      NAKACK4 multicasts = channels.get(0).getProtocolStack().findProtocol(NAKACK4.class);
      Address other = channels.get(1).getAddress();
      long next = multicasts.getBuf(other).high() + 2;
      for (int i = 0; i < TIMES; i++) {
        Message early =
            message("early")
                .putHeader(multicasts.getId(), NakAckHeader.createMessageHeader(next + i));
        send(socket, Links.MULTICAST, early);
      }
      sendUntilHeard(socket);
      assertThat(multicasts.getBuf(other).size()).isBetween(1, JGroupsStack.WINDOW);
      assertThat(heard.texts).doesNotContain("early");
    }
  }

  @Test
  void messagesThatWaitForAThreadAreHeldUpToABound() throws Exception {
    try (Socket socket = pretend()) {
      heard.busy = new CountDownLatch(1);
      send(socket, Links.MULTICAST, message("one"));
      Await.until("it to be busy", () -> heard.count("one") == 1);
      for (int i = 0; i < TIMES; i++) {
        send(socket, Links.MULTICAST, message("waits"));
      }
      sendUntilHeard(socket, Message.Flag.OOB);
      heard.busy.countDown();
      sendUntilHeard(socket);
      assertThat(heard.count("waits")).isBetween(1L, (long) NettyTransport.WAITING_MAX);
    }
  }

  /** One could be as long as the group's own, and be held for what comes before it. */
  @Test
  void jgroupsOwnMessageThatSaysItIsTheGroupsIsRefused() throws Exception {
    try (Socket socket = pretend()) {
      send(socket, Links.DATA | Links.MULTICAST, message("held"));
      awaitEnd(socket);
      assertThat(heard.texts).isEmpty();
    }
  }

  /** There would be a queue for each. */
  @Test
  void messageThatIsPassedOnForNobodyIsDropped() throws Exception {
    try (Socket socket = pretend()) {
      send(socket, Links.MULTICAST, message("of nobody").setSrc(UUID.randomUUID()));
      sendUntilHeard(socket);
      assertThat(heard.texts).doesNotContain("of nobody");
    }
  }

  @Test
  void whoIsNotInTheViewHasNoQueue() throws Exception {
    JChannel first = connect(0);
    MaxOneThreadPerSender queues =
        (MaxOneThreadPerSender)
            first.getProtocolStack().getTransport().getMessageProcessingPolicy();
    String before = queues.dump();
    try (Socket socket = pretend(places.get(0), UUID.randomUUID(), CLUSTER)) {
      sendUntilHeard(socket);
    }
    assertThat(queues.dump()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({
    "true, 0, 65536, true",
    "true, 0, 65537, false",
    "true, 2, 4259840, true",
    "true, 2, 4259841, false",
    "true, 2, 2147483647, false",
    "false, 2, 1048576, true",
    "false, 2, 1048577, false"
  })
  void messageIsNoLongerThanMembersSend(boolean inView, int kind, int length, boolean taken)
      throws Exception {
    try (Node member = new Node();
        Node other = new Node()) {
      if (inView) {
        member.sees(other);
      }
      try (Socket socket = pretend(member.place, other.id, "test")) {
        byte[] frame = new byte[Math.min(length, TEN_MB)];
        frame[0] = (byte) kind;
        ByteBuffer head = ByteBuffer.allocate(Integer.BYTES).putInt(length);
        socket.getOutputStream().write(head.array());
        if (taken) {
          socket.getOutputStream().write(frame);
          Await.until("the message", () -> member.messages.size() + member.dropped() == 1);
        } else {
          socket.getOutputStream().write(frame, 0, 1);
          awaitEnd(socket);
          assertThat(member.messages).isEmpty();
        }
      }
    }
  }
}

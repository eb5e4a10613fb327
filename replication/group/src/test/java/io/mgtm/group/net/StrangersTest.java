package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.mgtm.common.AllowList;
import io.mgtm.group.GroupMode;
import io.mgtm.testing.Await;
import io.mgtm.testing.LogLines;
import io.mgtm.testing.OwnAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jgroups.Message;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.jgroups.protocols.SYM_ENCRYPT;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** What comes to the ports of a group from who is no member. */
class StrangersTest {
  private static final int TIMES = 200;
  private static final int LINES_MAX = 40;
  private static final int READ_MS = 180_000;

  @RegisterExtension private final LogLines lines = new LogLines();
  private final List<InetSocketAddress> addresses = OwnAddress.addresses(2);
  private final List<Member> members = new ArrayList<>();

  /** A member, and what it was told. */
  private static final class Member implements Transport.Receiver {
    private final EventLoop loop =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()).next();
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final JGroupsTransport transport;

    Member(String name, JGroupsSettings settings) {
      transport = new JGroupsTransport(name, settings, GroupMode.FIFO, loop, Reach.VIEW);
      transport.start(this);
    }

    @Override
    public void received(ByteBuffer message) {
      messages.add(UTF_8.decode(message).toString());
    }

    @Override
    public void down(String name) {}

    @Override
    public void broken(String name) {}

    void send(String to, String message) {
      loop.execute(() -> transport.send(List.of(to), message.getBytes(UTF_8)));
    }

    void close() {
      transport.close();
      loop.parent().shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @AfterEach
  void stop() {
    members.forEach(Member::close);
  }

  private void start(List<String> networks) {
    for (int i = 0; i < addresses.size(); i++) {
      JGroupsSettings settings =
          JGroupsSettings.of("strangers", addresses.get(i), addresses)
              .withAllowed(new AllowList(networks));
      members.add(new Member("m" + i, settings));
    }
    heardAll("begin");
  }

  private void heardAll(String message) {
    Await.until(
        "word from each other",
        () -> {
          members.get(0).send("m1", message);
          members.get(1).send("m0", message);
          return members.stream().allMatch(m -> m.messages.contains(message));
        });
  }

  /** As a member of this group says who it is, and then something else. */
  private static byte[] asMember(byte[] then) {
    ExtendedUUID id = new ExtendedUUID(1, 2);
    ByteBuf hello =
        new Hello(MemberAddress.with(id, "m9", "127.0.0.1:9"), "strangers")
            .encode(ByteBufAllocator.DEFAULT);
    byte[] bytes = new byte[hello.readableBytes() + then.length];
    hello.readBytes(bytes, 0, hello.readableBytes()).release();
    System.arraycopy(then, 0, bytes, bytes.length - then.length, then.length);
    return bytes;
  }

  private static byte[] message(int length, byte... content) {
    return ByteBuffer.allocate(4 + content.length).putInt(length).put(content).array();
  }

  /** Nonsense in the form of messages. */
  private static byte[] nonsense() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < TIMES; i++) {
      byte[] content = new byte[20];
      content[0] = (byte) (i % 4);
      content[2] = (byte) (i % 9);
      content[3] = (byte) 0x7f;
      content[4] = (byte) i;
      out.writeBytes(message(content.length, content));
    }
    return out.toByteArray();
  }

  private void throwAt(byte[] bytes, int times) {
    InetSocketAddress at = addresses.get(0);
    for (int i = 0; i < times; i++) {
      try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
        socket.setSoTimeout(READ_MS);
        socket.getOutputStream().write(bytes);
        socket.shutdownOutput();
        assertThat(drained(socket)).as("it is closed").isTrue();
      } catch (SocketException e) {
        assertThat(e).as("it was reset").isNotNull();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static boolean drained(Socket socket) throws IOException {
    while (socket.getInputStream().read() >= 0) {
      Thread.onSpinWait();
    }
    return true;
  }

  @Test
  void nonsenseFillsNoLogAndHindersNobody() throws Exception {
    start(List.of());
    lines.list().clear();
    throwAt(asMember(nonsense()), 3);
    throwAt("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(UTF_8), TIMES);
    throwAt(asMember(message(0x7fff0000, (byte) 1)), TIMES);
    throwAt(asMember(message(-7, (byte) 1)), TIMES);
    heardAll("end");
    List<ILoggingEvent> said =
        lines.list().stream().filter(e -> e.getLevel().isGreaterOrEqual(Level.INFO)).toList();
    assertThat(said).as(said::toString).hasSizeLessThan(LINES_MAX);
    assertThat(said).allMatch(e -> e.getThrowableProxy() == null);
  }

  /** Each would take two gigabytes, of a few bytes. */
  @Test
  void lengthInsideAMessageIsNotBelievedBeforeItsBytesAreThere() throws Exception {
    start(List.of());
    lines.list().clear();
    ByteBuffer content = ByteBuffer.allocate(12);
    content.put((byte) 0).putShort(Message.BYTES_MSG);
    content.put((byte) 0).putShort((short) 0).putShort((short) 0).putInt(0x7fff_fff0);
    Logger listener = (Logger) LoggerFactory.getLogger(LinkListener.class);
    listener.setLevel(Level.INFO);
    try {
      throwAt(asMember(message(content.position(), content.array())), 3);
      heardAll("end");
    } finally {
      listener.setLevel(null);
    }
    assertThat(lines.list())
        .anyMatch(e -> e.getFormattedMessage().contains("it says that it has 2147483632 bytes"));
  }

  /** As for each message of one who does not know the group's secret. */
  @Test
  void whatJgroupsSaysOfStrangersFillsNoLog() {
    start(List.of());
    Log encryption = LogFactory.getLog(SYM_ENCRYPT.class);
    lines.list().clear();
    for (int i = 0; i < TIMES; i++) {
      encryption.error("%s: received message without encrypt header from %s", "m0", i);
    }
    assertThat(lines.list())
        .anyMatch(e -> e.getFormattedMessage().contains("without encrypt header"))
        .hasSizeLessThan(LINES_MAX);
  }

  /** As its process was stopped: the kernel still takes connections for it. */
  @Test
  void memberThatStandsStillIsOneLine() throws Exception {
    Logger link = (Logger) LoggerFactory.getLogger(Link.class);
    link.setLevel(Level.INFO);
    InetSocketAddress at = addresses.get(1);
    try (ServerSocket still = new ServerSocket(at.getPort(), 1, at.getAddress())) {
      members.add(new Member("m0", JGroupsSettings.of("strangers", addresses.get(0), addresses)));
      still.setSoTimeout(READ_MS);
      try (Socket first = still.accept()) {
        Await.until("a line", () -> saidOf(at).contains("does its process stand still?"));
        for (int i = 0; i < 3; i++) {
          still.accept().close();
        }
        assertThat(first.isConnected()).isTrue();
      }
      assertThat(saidOf(at)).as("once").doesNotContain("\n");
    } finally {
      link.setLevel(null);
    }
  }

  private String saidOf(InetSocketAddress place) {
    return lines.list().stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(said -> said.startsWith(place + " "))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void silentOnesTakeNobodysPlace() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try {
      start(List.of());
      InetSocketAddress at = addresses.get(0);
      for (int i = 0; i < 2 * Gate.OF_ONE_ADDRESS_MAX; i++) {
        silent.add(new Socket(at.getAddress(), at.getPort()));
      }
      Socket last = silent.get(silent.size() - 1);
      last.setSoTimeout(READ_MS);
      assertThat(last.getInputStream().read()).as("turned away").isEqualTo(-1);
      heardAll("end");
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** The members' own connections stay, though they say nothing for as long. */
  @Test
  void whoDoesNotBeginAsAMemberDoesIsClosed() throws Exception {
    start(List.of());
    lines.list().clear();
    InetSocketAddress at = addresses.get(0);
    byte[] beginning = Arrays.copyOf(asMember(new byte[0]), 5);
    for (byte[] sent : List.of(new byte[0], beginning)) {
      try (Socket socket = new Socket(at.getAddress(), at.getPort())) {
        socket.setSoTimeout(READ_MS);
        socket.getOutputStream().write(sent);
        assertThat(socket.getInputStream().read()).as("closed").isEqualTo(-1);
      }
    }
    heardAll("end");
    assertThat(lines.list())
        .as("no member was lost")
        .noneMatch(e -> e.getFormattedMessage().contains("is connected with"));
  }

  @Test
  void whoComesFromNoAllowedNetworkIsClosedUnheard() throws Exception {
    start(List.of("127.0.0.1"));
    InetSocketAddress at = addresses.get(0);
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 9, 9, 9}), 0));
      socket.setSoTimeout(READ_MS);
      socket.connect(new InetSocketAddress(at.getAddress(), at.getPort()));
      assertThat(socket.getInputStream().read()).as("closed").isEqualTo(-1);
    }
    assertThat(lines.list())
        .anyMatch(
            e -> e.getFormattedMessage().contains("it comes from no network of access.members"));
    heardAll("end");
  }
}

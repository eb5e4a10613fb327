package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectLinksTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @TempDir Path folder;

  /** A process with links, and what came over them. */
  private static final class Node implements Transport.Receiver, AutoCloseable {
    final UUID id = UUID.randomUUID();
    final List<String> messages = new CopyOnWriteArrayList<>();
    final List<Boolean> byOwner = new CopyOnWriteArrayList<>();
    final List<String> broken = new CopyOnWriteArrayList<>();
    final EventLoop loop;
    final DirectLinks links;

    Node(IoHandlerFactory io, String cluster, Optional<JGroupsSettings.Tls> tls)
        throws IOException {
      this(io, cluster, tls, Reach.VIEW);
    }

    Node(IoHandlerFactory io, String cluster, Optional<JGroupsSettings.Tls> tls, Reach reach)
        throws IOException {
      loop = new MultiThreadIoEventLoopGroup(1, io).next();
      InetSocketAddress bind = OwnAddress.address();
      JGroupsSettings settings =
          new JGroupsSettings(cluster, bind, List.of(bind), 1_500, tls, Optional.empty());
      links = new DirectLinks(loop, settings, reach, this);
    }

    Node() throws IOException {
      this(NioIoHandler.newFactory(), "test", Optional.empty());
    }

    Node(Reach reach) throws IOException {
      this(NioIoHandler.newFactory(), "test", Optional.empty(), reach);
    }

    @Override
    public void received(ByteBuffer message) {
      messages.add(UTF_8.decode(message).toString());
      byOwner.add(loop.inEventLoop());
    }

    @Override
    public void down(String name) {
      throw new AssertionError("links do not judge who is there");
    }

    @Override
    public void broken(String name) {
      broken.add(name);
    }

    void sees(Map<String, Node> others) {
      links.members(
          id,
          others.entrySet().stream()
              .collect(
                  Collectors.toMap(
                      Map.Entry::getKey,
                      e -> new DirectLinks.Peer(e.getValue().id, e.getValue().links.address()))));
    }

    /** True when a link took it. */
    boolean send(String to, String message) {
      return loop.submit(() -> links.send(List.of(to), message.getBytes(UTF_8)).isEmpty())
          .awaitUninterruptibly()
          .getNow();
    }

    long dropped() {
      return loop.submit(links::dropped).awaitUninterruptibly().getNow();
    }

    void sendOnceThereIsALink(String to, String message) {
      Await.until("a link", () -> send(to, message));
    }

    @Override
    public void close() {
      links.close();
      loop.parent().shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  private static IoHandlerFactory io(String kind) {
    return kind.equals("epoll") ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void messagesComeInOrderOnTheOwnersThread(String kind) throws Exception {
    try (Node a = new Node(io(kind), "test", Optional.empty());
        Node b = new Node(io(kind), "test", Optional.empty())) {
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      a.sendOnceThereIsALink("b", "0");
      // What was sent before the other saw this process may be dropped.
      Await.until("word from the other", () -> a.send("b", "0") && !b.messages.isEmpty());
      b.loop.submit(b.messages::clear).sync();
      IntStream.rangeClosed(1, 500).forEach(i -> a.send("b", "m" + i));
      Await.until("word from the other", () -> b.messages.contains("m500"));
      assertThat(b.messages.stream().filter(m -> m.startsWith("m")))
          .containsExactlyElementsOf(IntStream.rangeClosed(1, 500).mapToObj(i -> "m" + i).toList());
      assertThat(b.byOwner).containsOnly(true);
      b.sendOnceThereIsALink("a", "back");
      Await.until("word from the other", () -> a.messages.contains("back"));
    }
  }

  @Test
  void withoutALinkTheSenderIsToldSo() throws Exception {
    try (Node a = new Node()) {
      assertThat(a.send("b", "x")).isFalse();
    }
  }

  @Test
  void messagesOfAProcessOutsideTheViewAreDropped() throws Exception {
    try (Node a = new Node();
        Node b = new Node()) {
      b.sees(Map.of());
      assertThat(b.dropped()).as("none, and b has its view").isZero();
      a.sees(Map.of("b", b));
      a.sendOnceThereIsALink("b", "early");
      Await.until("it to be dropped", () -> b.dropped() == 1);
      b.sees(Map.of("a", a));
      Await.until("word from the other", () -> a.send("b", "late") && b.messages.contains("late"));
      assertThat(b.messages).containsOnly("late");
      b.sees(Map.of());
      long before = b.dropped(); // told on b's thread, which has its view by then
      Await.until("a message to be dropped", () -> a.send("b", "after") && b.dropped() > before);
      assertThat(b.messages).doesNotContain("after");
    }
  }

  @Test
  void memberThatIsAnotherProcessNowGetsALinkOfItsOwn() throws Exception {
    try (Node a = new Node()) {
      Node old = new Node();
      a.sees(Map.of("b", old));
      old.sees(Map.of("a", a));
      Await.until("word from the other", () -> a.send("b", "one") && old.messages.contains("one"));
      old.close();
      try (Node b = new Node()) {
        a.sees(Map.of("b", b));
        b.sees(Map.of("a", a));
        Await.until("word from the other", () -> a.send("b", "two") && b.messages.contains("two"));
        assertThat(b.messages).doesNotContain("one");
      }
    }
  }

  @Test
  void brokenLinkIsMadeAgain() throws Exception {
    try (Node a = new Node();
        Node b = new Node()) {
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      Await.until("word from the other", () -> a.send("b", "x") && !b.messages.isEmpty());
      // The view goes and comes on one side only: the listener's side cuts nothing, so cut it here.
      b.sees(Map.of());
      a.sees(Map.of());
      Await.until("word from the other", () -> !a.send("b", "gone"));
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      Await.until(
          "word from the other", () -> a.send("b", "again") && b.messages.contains("again"));
    }
  }

  @Test
  void memberThatTheViewHasLostIsHeardWhileItIsConnected() throws Exception {
    try (Node a = new Node(Reach.CONNECTION)) {
      Node b = new Node(Reach.CONNECTION);
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      Await.until("word from the other", () -> a.send("b", "x") && !b.messages.isEmpty());
      Await.until("word from the other", () -> b.send("a", "x") && !a.messages.isEmpty());
      a.sees(Map.of());
      b.sees(Map.of());
      assertThat(a.send("b", "lost")).isTrue();
      assertThat(b.send("a", "lost too")).isTrue();
      Await.until("word from the lost", () -> b.messages.contains("lost"));
      Await.until("word from the lost", () -> a.messages.contains("lost too"));
      b.close();
      Await.until("the end of the link", () -> !a.send("b", "gone"));
      try (Node another = new Node(Reach.CONNECTION)) {
        another.sees(Map.of("a", a));
        long before = a.dropped();
        Await.until("a stranger's word", () -> another.send("a", "new") && a.dropped() > before);
        a.sees(Map.of("b", another));
        Await.until("a link", () -> a.send("b", "again") && another.messages.contains("again"));
      }
    }
  }

  @Test
  void memberThatIsBackInTheViewGetsANewLink() throws Exception {
    try (Node a = new Node(Reach.CONNECTION);
        ServerSocket b = new ServerSocket(0, 2, LOOPBACK)) {
      b.setSoTimeout(10_000);
      InetSocketAddress at = new InetSocketAddress(LOOPBACK, b.getLocalPort());
      Map<String, DirectLinks.Peer> view = Map.of("b", new DirectLinks.Peer(UUID.randomUUID(), at));
      a.links.members(a.id, view);
      try (Socket first = b.accept()) {
        a.sendOnceThereIsALink("b", "x");
        a.links.members(a.id, Map.of());
        assertThat(a.send("b", "y")).as("still connected").isTrue();
        a.links.members(a.id, view);
        b.accept().close();
        first.setSoTimeout(10_000);
        assertThat(first.getInputStream().readAllBytes()).as("sent before its end").isNotEmpty();
      }
    }
  }

  @Test
  void groupOfAnotherNameIsRefused() throws Exception {
    try (Node a = new Node(NioIoHandler.newFactory(), "other", Optional.empty());
        Node b = new Node()) {
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      b.sendOnceThereIsALink("a", "x");
      Await.until("word from the other", () -> !b.send("a", "x"));
      assertThat(a.messages).isEmpty();
    }
  }

  @Test
  void whoeverBeginsWithNonsenseIsCutOffAtOnce() throws Exception {
    try (Node b = new Node()) {
      b.sees(Map.of());
      for (byte[] nonsense :
          List.of(
              "GET / HTTP/1.0\r\n\r\n".getBytes(UTF_8),
              ByteBuffer.allocate(8).putInt(-1).array(),
              ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array(),
              ByteBuffer.allocate(5).putInt(1).put((byte) 1).array(),
              ByteBuffer.allocate(104).putInt(100).put((byte) 9).array())) {
        try (Socket socket = new Socket(OwnAddress.HOST, b.links.address().getPort())) {
          socket.setSoTimeout(10_000);
          new DataOutputStream(socket.getOutputStream()).write(nonsense);
          assertThat(endOf(socket)).as("closed").isTrue();
        }
      }
      assertThat(b.messages).isEmpty();
    }
  }

  private static boolean endOf(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() == -1;
    } catch (java.net.SocketException e) {
      return true;
    }
  }

  @Test
  void memberThatDoesNotReadCostsBoundedMemory() throws Exception {
    try (Node a = new Node();
        Node b = new Node()) {
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      Await.until("word from the other", () -> a.send("b", "x") && !b.messages.isEmpty());
      CountDownLatch sent = new CountDownLatch(1);
      b.loop.submit(() -> sent.await(180, TimeUnit.SECONDS));
      String large = "y".repeat(1 << 20);
      for (int i = 0; i < 200; i++) {
        assertThat(a.send("b", large)).as("dropped, not refused").isTrue();
      }
      sent.countDown();
      Await.until("word from the other", () -> a.send("b", "end") && b.messages.contains("end"));
      assertThat(b.messages.stream().filter(large::equals).count()).isLessThan(100);
    }
  }

  @Test
  void onlyHoldersOfACertificateGetIn() throws Exception {
    Path ours = Files.createDirectory(folder.resolve("ours"));
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    Optional<JGroupsSettings.Tls> keys = Optional.of(TestKeys.in(ours));
    try (Node a = new Node(NioIoHandler.newFactory(), "test", keys);
        Node b = new Node(NioIoHandler.newFactory(), "test", keys);
        Node stranger =
            new Node(NioIoHandler.newFactory(), "test", Optional.of(TestKeys.in(theirs)));
        Node plain = new Node()) {
      a.sees(Map.of("b", b, "s", stranger, "p", plain));
      b.sees(Map.of("a", a, "s", stranger, "p", plain));
      stranger.sees(Map.of("b", b));
      plain.sees(Map.of("b", b));
      Await.until(
          "word from the other", () -> a.send("b", "secret") && b.messages.contains("secret"));
      for (int i = 0; i < 20; i++) {
        stranger.send("b", "strange");
        plain.send("b", "plain");
        a.send("b", "more " + i);
        String last = "more " + i;
        Await.until("word from the other", () -> b.messages.contains(last));
      }
      assertThat(b.messages).noneMatch(m -> m.equals("strange") || m.equals("plain"));
    }
  }

  @Test
  void endOfAMembersConnectionIsAHintOnce() throws Exception {
    try (Node a = new Node()) {
      Node b = new Node();
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      Await.until("word of b", () -> b.send("a", "b's") && a.messages.contains("b's"));
      a.sendOnceThereIsALink("b", "a's");
      assertThat(a.broken).isEmpty();
      b.close();
      Await.until("a hint", () -> !a.broken.isEmpty());
      assertThat(a.send("b", "more")).isFalse();
      assertThat(a.broken).containsExactly("b");
    }
  }

  @Test
  void endOfWhatThisMemberClosedIsNoHint() throws Exception {
    try (Node a = new Node();
        Node b = new Node()) {
      a.sees(Map.of("b", b));
      b.sees(Map.of("a", a));
      Await.until("word of b", () -> b.send("a", "b's") && a.messages.contains("b's"));
      a.sees(Map.of());
      b.sees(Map.of());
      Await.until("no link", () -> !b.send("a", "b's"));
      b.sees(Map.of("a", a));
      Await.until("a link", () -> b.send("a", "b's"));
      assertThat(a.broken).isEmpty();
    }
  }
}

package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.mgtm.testing.TestKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jgroups.util.ExtendedUUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinksTest {
  private static final int READ_MS = 180_000;
  private static final long MEMORY_BYTES_MAX = 32L << 20;

  @TempDir Path folder;

  private static void meet(Node a, Node b) {
    a.sees(b);
    b.sees(a);
    a.reaches(b, "of a");
    b.reaches(a, "of b");
  }

  private static IoHandlerFactory io(String kind) {
    return kind.equals("epoll") ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void messagesComeInOrderOnTheOwnersThread(String kind) throws Exception {
    try (Node a = new Node(io(kind), "test", Optional.empty(), Reach.VIEW);
        Node b = new Node(io(kind), "test", Optional.empty(), Reach.VIEW)) {
      meet(a, b);
      IntStream.rangeClosed(1, 500).forEach(i -> a.send(b, "m" + i));
      Await.until("all", () -> b.messages.contains("m500"));
      assertThat(b.messages.stream().filter(m -> m.startsWith("m")))
          .containsExactlyElementsOf(IntStream.rangeClosed(1, 500).mapToObj(i -> "m" + i).toList());
      assertThat(b.byOwner).containsOnly(true);
    }
  }

  @Test
  void whatIsForTheViewGoesToAllOfIt() {
    try (Node a = new Node();
        Node b = new Node();
        Node c = new Node()) {
      a.sees(b, c);
      b.sees(a, c);
      c.sees(a, b);
      a.reaches(b, "x");
      a.reaches(c, "x");
      ByteBuf frame = Unpooled.buffer().writeInt(4).writeByte(Links.DATA | Links.MULTICAST);
      a.links.send(null, null, Links.DATA, frame.writeBytes("all".getBytes(UTF_8)));
      Await.until("both", () -> b.messages.contains("all") && c.messages.contains("all"));
    }
  }

  @Test
  void jgroupsOwnMessagesNeedNoView() {
    try (Node a = new Node();
        Node b = new Node()) {
      a.send(b, 0, "may I join");
      Await.until("the question", () -> b.messages.contains("may I join"));
      a.send(b, "of the group");
      a.send(b, 0, "end");
      Await.until("the end", () -> b.messages.contains("end"));
      assertThat(b.messages).doesNotContain("of the group");
    }
  }

  @Test
  void messagesOfAProcessOutsideTheViewAreDropped() {
    try (Node a = new Node();
        Node b = new Node()) {
      a.sees(b);
      assertThat(b.dropped()).isZero();
      a.send(b, "early");
      Await.until("it to be dropped", () -> b.dropped() == 1);
      b.sees(a);
      a.reaches(b, "late");
      assertThat(b.messages).containsOnly("late");
      b.sees();
      long before = b.dropped();
      Await.until(
          "a message to be dropped",
          () -> {
            a.send(b, "after");
            return b.dropped() > before;
          });
      assertThat(b.messages).doesNotContain("after");
    }
  }

  @Test
  void nothingForAProcessGoesToTheNextInItsPlace() {
    try (Node a = new Node()) {
      Node old = new Node();
      meet(a, old);
      old.close();
      try (Node next =
          new Node(NioIoHandler.newFactory(), "test", Optional.empty(), Reach.VIEW, old.place)) {
        next.sees(a);
        a.send(old, "for the old one");
        Await.until("a link", () -> a.leads(next.id, next.place));
        a.send(old, "for the old one");
        a.sees(next);
        a.reaches(next, "for the new one");
        assertThat(next.messages).containsOnly("for the new one");
      }
    }
  }

  @Test
  void brokenLinkIsMadeAgain() {
    try (Node a = new Node();
        Node b = new Node()) {
      meet(a, b);
      a.onLoop(
          l -> {
            l.breakAll();
            return 0;
          });
      b.messages.clear();
      a.reaches(b, "again");
    }
  }

  @Test
  void processThatTheViewHasLostIsHeardWhileItIsConnected() {
    try (Node a = new Node(Reach.CONNECTION)) {
      Node b = new Node(Reach.CONNECTION);
      meet(a, b);
      a.sees();
      b.sees();
      a.reaches(b, "lost");
      b.reaches(a, "lost too");
      b.close();
      try (Node another = new Node(Reach.CONNECTION)) {
        another.sees(a);
        long before = a.dropped();
        Await.until(
            "a stranger's word",
            () -> {
              another.send(a, "new");
              return a.dropped() > before;
            });
        a.sees(another);
        a.reaches(another, "again");
      }
    }
  }

  /** As when JGroups asks whether they may merge: the new link takes the place of the old one. */
  @Test
  void processThatTheViewHasLostIsHeardAfterANewLinkToItToo() {
    try (Node a = new Node(Reach.CONNECTION);
        Node b = new Node(Reach.CONNECTION)) {
      meet(a, b);
      b.sees();
      Await.until(
          "the question over a new link",
          () -> {
            b.send(a, 0, "will you merge");
            return b.leads(a.id, a.place);
          });
      a.reaches(b, "to the one that has lost it");
      b.reaches(a, "of the one that has lost it");
      b.sees(a);
      a.reaches(b, "seen again");
      b.sees();
      a.reaches(b, "lost again");
      b.reaches(a, "lost again too");
    }
  }

  @Test
  void processThatIsBackInTheViewGetsANewLink() throws Exception {
    InetSocketAddress at = OwnAddress.address();
    ExtendedUUID id = MemberAddress.of("b", at);
    try (Node a = new Node(Reach.CONNECTION);
        ServerSocket b = new ServerSocket(at.getPort(), 2, at.getAddress())) {
      b.setSoTimeout(READ_MS);
      a.links.view(Map.of(id, at));
      try (Socket first = answered(b, id)) {
        Await.until("a link", () -> a.leads(id, at));
        a.links.view(Map.of());
        a.links.view(Map.of(id, at));
        try (Socket second = answered(b, id)) {
          first.setSoTimeout(READ_MS);
          assertThat(first.getInputStream().readAllBytes()).as("its end").isEmpty();
          assertThat(second.isConnected()).isTrue();
        }
      }
    }
  }

  /** The next connection, once the hellos are said. */
  private static Socket answered(ServerSocket at, ExtendedUUID id) throws IOException {
    Socket socket = at.accept();
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.readFully(new byte[in.readInt()]);
    socket.getOutputStream().write(bytesOf(new Hello(id, "test")));
    return socket;
  }

  static byte[] bytesOf(Hello hello) {
    ByteBuf frame = hello.encode(Unpooled.buffer().alloc());
    byte[] bytes = new byte[frame.readableBytes()];
    frame.readBytes(bytes).release();
    return bytes;
  }

  @Test
  void groupOfAnotherNameIsRefusedAndToldOnBothSides() {
    try (Node a = new Node(NioIoHandler.newFactory(), "other", Optional.empty(), Reach.VIEW);
        Node b = new Node()) {
      b.sees(a);
      Await.until("a told", () -> a.strangers.contains("test"));
      Await.until("b told", () -> b.strangers.contains("other"));
      a.send(b, 0, "x");
      Await.until("b refused", () -> a.strangers.size() > 1);
      assertThat(b.messages).isEmpty();
    }
  }

  @Test
  void whoeverBeginsWithNonsenseIsCutOffAtOnce() throws Exception {
    try (Node b = new Node()) {
      byte[] otherVersion = bytesOf(new Hello(MemberAddress.of("x", b.place), "test"));
      otherVersion[8] = 9;
      for (byte[] nonsense :
          List.of(
              "GET / HTTP/1.0\r\n\r\n".getBytes(UTF_8),
              "bela of an earlier version".getBytes(UTF_8),
              ByteBuffer.allocate(8).putInt(-1).array(),
              ByteBuffer.allocate(8).putInt(Integer.MAX_VALUE).array(),
              ByteBuffer.allocate(5).putInt(1).put((byte) 1).array(),
              ByteBuffer.allocate(104).putInt(100).put((byte) 9).array(),
              otherVersion)) {
        try (Socket socket = new Socket(b.place.getAddress(), b.place.getPort())) {
          socket.setSoTimeout(READ_MS);
          new DataOutputStream(socket.getOutputStream()).write(nonsense);
          drain(socket);
        }
      }
      assertThat(b.messages).isEmpty();
    }
  }

  /** Until it is closed. */
  private static void drain(Socket socket) throws IOException {
    try {
      socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      assertThat(e).as("it was reset").isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void memberThatDoesNotReadCostsBoundedMemory(boolean encrypted) throws Exception {
    Optional<JGroupsSettings.Tls> keys = encrypted ? Optional.of(keys(folder)) : Optional.empty();
    try (Node a = new Node(NioIoHandler.newFactory(), "test", keys, Reach.VIEW);
        Node b = new Node(NioIoHandler.newFactory(), "test", keys, Reach.VIEW)) {
      meet(a, b);
      long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
      CountDownLatch sent = new CountDownLatch(1);
      b.loop.submit(() -> sent.await(180, TimeUnit.SECONDS));
      String large = "y".repeat(1 << 20);
      for (int i = 0; i < 200; i++) {
        a.send(b, large);
        a.onLoop(l -> 0);
      }
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before)
          .isLessThan(MEMORY_BYTES_MAX);
      sent.countDown();
      a.reaches(b, "end");
      assertThat(b.messages.stream().filter(large::equals).count()).isBetween(1L, 100L);
    }
  }

  @Test
  void onlyHoldersOfACertificateGetIn() throws Exception {
    Path ours = Files.createDirectory(folder.resolve("ours"));
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    Optional<JGroupsSettings.Tls> keys = Optional.of(keys(ours));
    Optional<JGroupsSettings.Tls> others = Optional.of(keys(theirs));
    try (Node a = new Node(NioIoHandler.newFactory(), "test", keys, Reach.VIEW);
        Node b = new Node(NioIoHandler.newFactory(), "test", keys, Reach.VIEW);
        Node stranger = new Node(NioIoHandler.newFactory(), "test", others, Reach.VIEW);
        Node plain = new Node()) {
      a.sees(b, stranger, plain);
      b.sees(a, stranger, plain);
      stranger.sees(b);
      plain.sees(b);
      a.reaches(b, "secret");
      for (int i = 0; i < 20; i++) {
        stranger.send(b, "strange");
        plain.send(b, "plain");
        a.reaches(b, "more " + i);
      }
      assertThat(b.messages).noneMatch(m -> m.equals("strange") || m.equals("plain"));
      Await.until("why", () -> b.<Boolean>onLoop(l -> l.listener().refused().latest().isPresent()));
      Await.until(
          "why, at the other end",
          () ->
              plain.<Boolean>onLoop(
                  l ->
                      l.listener()
                          .refused()
                          .latest()
                          .filter(w -> w.contains("begins TLS"))
                          .isPresent()));
    }
  }

  @Test
  void endOfAMembersConnectionIsAHintOnceAndRefusalIsCertain() {
    try (Node a = new Node()) {
      Node b = new Node();
      meet(a, b);
      b.die();
      Await.until("a hint", () -> !a.ended.isEmpty());
      Await.until("certainty", () -> a.gone.contains(b.id));
      assertThat(a.ended).containsExactly(b.id);
    }
  }

  @Test
  void whoStopsSaysGoodbye() throws Exception {
    try (Node a = new Node();
        ServerSocket keepsThePort = new ServerSocket()) {
      Node b = new Node();
      meet(a, b);
      b.links.close();
      keepsThePort.setReuseAddress(true);
      Await.until(
          "the port, which a selector gives back when it selects again",
          () -> binds(keepsThePort, b.place));
      Await.until("a goodbye", () -> a.gone.contains(b.id));
      b.die();
    }
  }

  private static boolean binds(ServerSocket socket, InetSocketAddress place) {
    try {
      socket.bind(place);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void endOfWhatThisMemberClosedIsNoHint() {
    try (Node a = new Node();
        Node b = new Node()) {
      meet(a, b);
      a.sees();
      b.sees();
      Await.until("no link", () -> !b.leads(a.id, a.place));
      b.sees(a);
      Await.until("a link", () -> b.leads(a.id, a.place));
      assertThat(a.ended).isEmpty();
      assertThat(a.gone).isEmpty();
    }
  }

  /** A store with a key, and its certificate, which is trusted too. */
  private static JGroupsSettings.Tls keys(Path folder) throws Exception {
    Path store = TestKeys.make(folder, "member", "127.0.0.1").store();
    return new JGroupsSettings.Tls(store, TestKeys.PASSWORD);
  }
}

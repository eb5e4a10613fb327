package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.common.AllowList;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jgroups.Address;
import org.jgroups.util.ExtendedUUID;

/** A process with links, and what came over them: what tests of {@link Links} are made of. */
final class Node implements Links.Receiver, AutoCloseable {
  final List<String> messages = new CopyOnWriteArrayList<>();
  final List<Boolean> byOwner = new CopyOnWriteArrayList<>();
  final List<Address> ended = new CopyOnWriteArrayList<>();
  final List<Address> gone = new CopyOnWriteArrayList<>();
  final List<String> strangers = new CopyOnWriteArrayList<>();
  final InetSocketAddress place;
  final ExtendedUUID id;
  final EventLoop loop;
  final Links links;

  Node(IoHandlerFactory io, String cluster, Optional<JGroupsSettings.Tls> tls, Reach reach) {
    this(io, cluster, tls, reach, OwnAddress.address());
  }

  Node(
      IoHandlerFactory io,
      String cluster,
      Optional<JGroupsSettings.Tls> tls,
      Reach reach,
      InetSocketAddress place) {
    this(
        io,
        reach,
        place,
        new JGroupsSettings(
            cluster,
            place,
            List.of(place),
            JGroupsSettings.SUSPECT_MS,
            tls,
            Optional.empty(),
            Optional.empty(),
            new AllowList(List.of()),
            Optional.empty()));
  }

  /** One that others reach at a place, wherever it listens. */
  Node(IoHandlerFactory io, Reach reach, InetSocketAddress place, JGroupsSettings settings) {
    this.place = place;
    String cluster = settings.cluster();
    id = MemberAddress.of("n" + place.getPort(), place);
    loop = new MultiThreadIoEventLoopGroup(1, io).next();
    links = new Links(loop, settings, reach);
    links.listen();
    links.begin(new Hello(id, cluster), this);
  }

  Node() {
    this(Reach.VIEW);
  }

  Node(Reach reach) {
    this(NioIoHandler.newFactory(), "test", Optional.empty(), reach);
  }

  @Override
  public void received(Address from, int kind, ByteBuf frame) {
    messages.add(frame.toString(UTF_8));
    byOwner.add(loop.inEventLoop());
  }

  @Override
  public void ended(Address process) {
    ended.add(process);
  }

  @Override
  public void gone(Address process) {
    gone.add(process);
  }

  @Override
  public boolean isStranger(Hello hello) {
    boolean other = !hello.cluster().equals(links.self().cluster());
    if (other) {
      strangers.add(hello.cluster());
    }
    return other;
  }

  void sees(Node... others) {
    links.view(Arrays.stream(others).collect(Collectors.toMap(n -> n.id, n -> n.place)));
    onLoop(l -> 0);
  }

  /** What the loop does with the links, once that is done. */
  <T> T onLoop(Function<Links, T> what) {
    return loop.submit(() -> what.apply(links)).awaitUninterruptibly().getNow();
  }

  /** Whether there is a link to a process. */
  boolean leads(Address process, InetSocketAddress at) {
    return onLoop(
        l -> {
          Link link = l.leading(process, at);
          return link != null && link.isReady();
        });
  }

  /** How many messages came of processes outside the view. */
  long dropped() {
    return this.<Long>onLoop(l -> l.listener().dropped());
  }

  void send(Node to, int kind, String message) {
    ByteBuf frame = Unpooled.buffer().writeInt(1 + message.length()).writeByte(kind);
    links.send(to.id, to.place, kind, frame.writeBytes(message.getBytes(UTF_8)));
  }

  void send(Node to, String message) {
    send(to, Links.DATA, message);
  }

  /** Waits until the other has heard something. */
  void reaches(Node to, String message) {
    Await.until(
        "word from the other",
        () -> {
          send(to, message);
          return to.messages.contains(message);
        });
  }

  @Override
  public void close() {
    links.close();
    die();
  }

  /** Without a goodbye. A loop that ends without a quiet period may leave its channels open. */
  void die() {
    loop.parent().shutdownGracefully(20, 5_000, TimeUnit.MILLISECONDS).syncUninterruptibly();
  }
}

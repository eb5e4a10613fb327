package io.mgtm.group.net;

import io.mgtm.group.ReplicatedLog;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jgroups.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections between a member's process and others, all on one event loop, the owner's.
 *
 * <p>Each process sends over the link that it made and reads on those that others made, so that
 * nobody has to agree on whose connection it is. There is a link to each process of the view, made
 * again after a pause while that stays in the view, and to any other place while something is sent
 * there. What one turn of the loop sends to a process goes with one flush at its end.
 *
 * <p>With {@link Reach#CONNECTION} a process that the view has lost is sent the group's messages,
 * and heard, until the last link to it breaks. All else to it takes a new link, and so does
 * everything once that is there, since TCP is slow to send again after a long silence.
 *
 * <p>A process may have addresses on several networks. It listens on all of them, and its link is
 * made by another when one leads nowhere, or when the process is silent.
 *
 * <p>Bytes, big-endian: each side's {@link Hello}, then frames of the side that connected, each as
 * {@code | bytes:i32 | kind:u8 | message |}. All methods are called by the loop's thread unless
 * they say otherwise.
 */
final class Links implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Links.class);

  /** Of {@link Frame#kind}: the message is for all members of the view. */
  static final int MULTICAST = 1;

  /** Of {@link Frame#kind}: the message is the group's own, and goes up on the loop's thread. */
  static final int DATA = 2;

  /** Of {@link Frame#kind}: the sender's process ends. */
  static final int GOODBYE = 4;

  /** JGroups' own message: a view, or what it takes to agree on one, of hundreds of members. */
  static final int CONTROL_BYTES_MAX = 64 << 10;

  /** One of the group has the largest entry, or a batch of 1 MiB, and what is said beside them. */
  static final int FRAME_BYTES_MAX = ReplicatedLog.ENTRY_BYTES_MAX + CONTROL_BYTES_MAX;

  static final int CONNECT_TIMEOUT_MS = 500;
  private static final int LINKS_MAX = 256;

  /** What other threads have sent and the loop has not taken up. */
  private static final int TASKS_MAX = 8_192;

  /** What comes in, told by the loop's thread. */
  interface Receiver {
    /**
     * A message.
     *
     * @param frame without its kind
     * @throws IllegalArgumentException when it cannot be understood
     */
    void received(Address from, int kind, ByteBuf frame);

    /** The last connection of a process of the view has ended, which it made. */
    void ended(Address process);

    /** A process of the view has said that it ends, or nobody listens in its place any more. */
    void gone(Address process);

    /** Whether a process is none of this group; the connection with it ends then. */
    boolean isStranger(Hello hello);
  }

  private final EventLoop loop;
  private final LoopSockets sockets;
  private final JGroupsSettings settings;
  private final GroupTls tls;
  private final Reach reach;
  private final LinkListener listener;
  private final AtomicInteger tasks = new AtomicInteger();
  private final Map<InetSocketAddress, Link> links = new HashMap<>();

  /** Links to processes that the view has lost. */
  private final Map<Address, Link> lost = new HashMap<>();

  private final Deque<Link> unflushed = new ArrayDeque<>();
  private final Silences silences = new Silences();

  private Map<Address, InetSocketAddress> view = Map.of();
  private Receiver receiver;
  private Hello self;
  private boolean closed;

  /**
   * Links that do not listen yet. Any thread.
   *
   * @param loop the owner's, one that {@link LoopSockets#suit suits}
   * @throws io.mgtm.group.LogException with ACCESS when the keys cannot be used
   */
  Links(EventLoop loop, JGroupsSettings settings, Reach reach) {
    this.loop = loop;
    this.sockets = new LoopSockets(loop);
    this.settings = settings;
    this.reach = reach;
    tls = settings.tls().map(GroupTls::of).orElse(null);
    listener = new LinkListener(loop, sockets::server, this, new Gate(settings.allowed()), tls);
  }

  /**
   * Takes the member's addresses; nobody is accepted before {@link #begin}. Any thread.
   *
   * @throws io.mgtm.group.LogException with ACCESS when one cannot be used
   */
  void listen() {
    settings.routes(settings.bind()).forEach(listener::bind);
  }

  /** From here on others may connect. Any thread. */
  void begin(Hello hello, Receiver what) {
    execute(
        () -> {
          self = hello;
          receiver = what;
          if (!closed) {
            listener.begin();
            if (settings.hasAlternates()) {
              look();
            }
          }
        });
  }

  /** One that is silent is reached by another address before it is suspected. */
  private void look() {
    if (closed) {
      return;
    }
    for (Address process : silences.look(view.keySet(), listener.takeHeard())) {
      Link link = leading(process, view.get(process));
      if (link != null) {
        link.tryOther();
      }
    }
    loop.schedule(this::look, settings.suspectMs() / Silences.LOOKS, TimeUnit.MILLISECONDS);
  }

  /** Its process is to reach this one by another address too, and hears so in any case. */
  void rerouted(Link link) {
    listener.cut(link.peer());
  }

  Hello self() {
    return self;
  }

  Receiver receiver() {
    return receiver;
  }

  /**
   * The view has changed. Any thread.
   *
   * @param others where each other process of it listens; not changed any more
   */
  void view(Map<Address, InetSocketAddress> others) {
    execute(() -> follow(others));
  }

  private void follow(Map<Address, InetSocketAddress> now) {
    if (closed) {
      return;
    }
    Map<Address, InetSocketAddress> before = view;
    view = now;
    before.forEach(
        (process, place) -> {
          if (!now.containsKey(process)) {
            leave(process, place);
          }
        });
    now.forEach(
        (process, place) -> {
          Link link = links.get(place);
          if (link != null && link.isReady() && !link.leadsTo(process)) {
            links.remove(place);
            lost.remove(link.peer(), link);
            link.close();
          }
          lost.remove(process, linkTo(place));
        });
    hear();
  }

  private void leave(Address process, InetSocketAddress place) {
    Link link = leading(process, place);
    if (link == null) {
      return;
    }
    links.remove(place);
    if (reach == Reach.CONNECTION && link.isReady()) {
      Link older = lost.put(process, link);
      if (older != null) {
        older.close();
      }
    } else {
      link.close();
    }
  }

  private Link linkTo(InetSocketAddress place) {
    Link link = links.get(place);
    if (link == null && links.size() < LINKS_MAX) {
      link = new Link(this, settings.routes(place), sockets, tls);
      links.put(place, link);
      link.connect();
    }
    return link;
  }

  /** Messages of the group are taken of those that are sent them. */
  private void hear() {
    Set<Address> heard = new HashSet<>(view.keySet());
    heard.addAll(lost.keySet());
    listener.hear(heard);
  }

  boolean isInView(Address process) {
    return view.containsKey(process);
  }

  /**
   * A link's other end has said who it is. One that the view has lost is heard as before: JGroups,
   * which looks for processes to merge with, makes new links to all.
   */
  void ready(Link link) {
    Address peer = link.peer();
    Link old = isInView(peer) ? lost.remove(peer) : lost.replace(peer, link);
    if (old != null) {
      old.close();
      hear();
    }
  }

  /**
   * A link's connection has ended, or could not be made.
   *
   * @param refused by the machine of its place, where nobody listens then
   * @return whether it is to be made again
   */
  boolean ended(Link link, boolean refused) {
    if (lost.remove(link.peer(), link)) {
      links.remove(link.place(), link);
      hear();
      return false;
    }
    boolean again = false;
    for (Map.Entry<Address, InetSocketAddress> other : view.entrySet()) {
      if (other.getValue().equals(link.place())) {
        again = true;
        if (refused && !listener.isConnected(other.getKey())) {
          receiver.gone(other.getKey());
        }
      }
    }
    if (!again) {
      links.remove(link.place(), link);
    }
    return again;
  }

  /**
   * Sends a frame; what a link cannot take now is dropped. Any thread.
   *
   * @param to a process, null for whoever listens at the place, or for all of the view
   * @param place null for all of the view
   */
  void send(Address to, InetSocketAddress place, int kind, ByteBuf frame) {
    if (loop.inEventLoop()) {
      dispatch(to, place, kind, frame);
    } else if (tasks.incrementAndGet() > TASKS_MAX
        || !execute(
            () -> {
              tasks.decrementAndGet();
              dispatch(to, place, kind, frame);
            })) {
      tasks.decrementAndGet();
      frame.release();
    }
  }

  private void dispatch(Address to, InetSocketAddress place, int kind, ByteBuf frame) {
    if (closed) {
      frame.release();
    } else if (place == null) {
      for (Map.Entry<Address, InetSocketAddress> other : view.entrySet()) {
        transmit(linkTo(other.getValue()), other.getKey(), frame.retainedDuplicate());
      }
      frame.release();
    } else if ((kind & DATA) == 0 || view.containsKey(to)) {
      transmit(linkTo(place), to, frame);
    } else {
      Link link = leading(to, place);
      transmit(link == null ? lost.get(to) : link, to, frame);
    }
  }

  private static void transmit(Link link, Address to, ByteBuf frame) {
    if (link == null) {
      frame.release();
    } else {
      link.send(to, frame);
    }
  }

  /** What a link has written goes out when the loop's turn ends. */
  void flushLater(Link link) {
    if (unflushed.isEmpty()) {
      ((SingleThreadEventLoop) loop).executeAfterEventLoopIteration(this::flush);
    }
    unflushed.add(link);
  }

  void flush() {
    for (Link next = unflushed.poll(); next != null; next = unflushed.poll()) {
      next.flush();
    }
  }

  /** The link to a place, if a process is there; or null. */
  Link leading(Address process, InetSocketAddress place) {
    Link link = links.get(place);
    return link != null && link.leadsTo(process) ? link : null;
  }

  /** The connections end, as by a fault of the network. */
  void breakAll() {
    links.values().forEach(Link::cut);
  }

  LinkListener listener() {
    return listener;
  }

  private boolean execute(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      log.debug("The event loop has stopped, and its links with it", e);
      return false;
    }
  }

  /**
   * Says goodbye to the view, and closes everything; the address is free on return unless the loop
   * is busy elsewhere. Any thread.
   */
  @Override
  public void close() {
    if (loop.inEventLoop()) {
      closeNow();
      return;
    }
    try {
      loop.submit(this::closeNow).awaitUninterruptibly(CONNECT_TIMEOUT_MS);
    } catch (RejectedExecutionException e) {
      log.debug("The event loop has stopped, and its links with it", e);
    }
  }

  private void closeNow() {
    if (closed) {
      return;
    }
    view.forEach(
        (process, place) -> {
          Link link = leading(process, place);
          if (link != null) {
            link.send(process, Link.goodbye());
          }
        });
    flush();
    closed = true;
    links.values().forEach(Link::close);
    links.clear();
    lost.values().forEach(Link::close);
    lost.clear();
    listener.close();
  }
}

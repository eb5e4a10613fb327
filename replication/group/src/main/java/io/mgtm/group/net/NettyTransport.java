package io.mgtm.group.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.DataInput;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ExtendedUUID;
import org.jgroups.util.MaxOneThreadPerSender;
import org.jgroups.util.UUID;

/**
 * The one network between members: a JGroups transport over {@link Links}, whose sockets belong to
 * the owner's event loop.
 *
 * <p>Threads: a message that is sent without JGroups' reliability, as the group's own are, is
 * written by the loop's thread, and by that of the receiver passed up the stack and into the core;
 * no queue, bundler or pool lies between. All else, JGroups' own messages, may come from any thread
 * and is passed up by JGroups' pool, since joining and merging wait for answers.
 *
 * <p>From one process to another, messages of either kind come in order. They are lost when a
 * connection ends or its queue is full. JGroups' own are sent again by it, the group's by the core.
 *
 * <p>A connection's end is a suspicion, which {@link GroupVerify} checks; a goodbye, or that nobody
 * listens in the process's place any more, needs no check.
 */
final class NettyTransport extends TP implements Links.Receiver {
  private static final short ID = 604;

  /** Above a message's payload. */
  private static final int HEADERS_BYTES = 128;

  /** JGroups' own messages of one process that wait for a thread, and for those before them. */
  static final int WAITING_MAX = 256;

  static {
    ClassConfigurator.addProtocol(ID, NettyTransport.class);
    QuietLog.install();
  }

  private final JGroupsSettings settings;
  private final EventLoop loop;

  /** Whether the loop ends with this transport. */
  private final boolean ownsLoop;

  private final Links links;
  private final Predicate<Hello> strangers;
  private final Consumer<Address> broken;
  private boolean listening;

  /** Where the other processes of the view listen. */
  private volatile Map<Address, InetSocketAddress> places = Map.of();

  /**
   * A transport that does not listen yet.
   *
   * @param owner its loop, one that {@link LoopSockets#suit suits}; none for one of its own
   * @param strangers which processes are none of the group; asked by the loop's thread
   * @param broken told by the loop's thread when the last connection of a process has ended
   */
  NettyTransport(
      JGroupsSettings settings,
      Optional<EventLoop> owner,
      Reach reach,
      Predicate<Hello> strangers,
      Consumer<Address> broken) {
    this.settings = settings;
    this.strangers = strangers;
    this.broken = broken;
    ownsLoop = owner.isEmpty();
    loop = owner.orElseGet(NettyTransport::newLoop);
    links = new Links(loop, settings, reach);
    setBindAddress(settings.bind().getAddress());
    setBindPort(settings.bind().getPort());
    setPortRange(0);
    setBundlerType("no-bundler"); // which is not asked
    message_processing_policy = null; // which would take the next one's place
    msg_processing_policy = new BoundedQueues();
  }

  private static EventLoop newLoop() {
    return new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("mgtm-group", true), NioIoHandler.newFactory())
        .next();
  }

  /**
   * Takes the member's address. Any thread.
   *
   * @throws io.mgtm.group.LogException with ACCESS when it cannot be used
   */
  void listen() {
    if (!listening) {
      links.listen();
      listening = true;
    }
  }

  /** What the loop's thread has sent in this turn goes out. Any other has nothing that waits. */
  void flush() {
    if (loop.inEventLoop()) {
      links.flush();
    }
  }

  /** Says goodbye and closes the sockets. Any thread. */
  void leave() {
    links.close();
  }

  @Override
  public boolean supportsMulticasting() {
    return false;
  }

  @Override
  protected PhysicalAddress getPhysicalAddress() {
    return new IpAddress(settings.bind());
  }

  @Override
  public PhysicalAddress getPhysicalAddressFromCache(Address process) {
    PhysicalAddress said = MemberAddress.physical(process);
    return said == null ? super.getPhysicalAddressFromCache(process) : said;
  }

  @Override
  public void start() throws Exception {
    listen();
    super.start();
  }

  @Override
  protected void handleConnect() {
    UUID process = (UUID) local_addr;
    ExtendedUUID own =
        MemberAddress.with(
            new ExtendedUUID(process.getMostSignificantBits(), process.getLeastSignificantBits()),
            MemberAddress.nameOf(process),
            MemberAddress.text(settings.bind()));
    Optional<String> secret = Optional.of(settings.secretFingerprint());
    links.begin(new Hello(own, cluster_name.toString(), secret), this);
  }

  @Override
  public void stop() {
    links.close();
    super.stop();
  }

  @Override
  public void destroy() {
    super.destroy();
    links.close();
    if (ownsLoop) {
      loop.parent().shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  @Override
  public Object down(Event event) {
    Object result = super.down(event);
    if (event.getType() == Event.VIEW_CHANGE || event.getType() == Event.TMP_VIEW) {
      View now = event.getArg();
      Map<Address, InetSocketAddress> others = new HashMap<>();
      for (Address process : now.getMembers()) {
        InetSocketAddress place = placeOf(process);
        if (place != null && !process.equals(local_addr)) {
          others.put(process, place);
        }
      }
      places = Map.copyOf(others);
      links.view(places);
    }
    return result;
  }

  /** A clause about a certificate that was refused of late. Any thread. */
  Optional<String> refusedCertificate() {
    return links.listener().refused().latest();
  }

  private InetSocketAddress placeOf(Address to) {
    InetSocketAddress known = places.get(to);
    if (known != null) {
      return known;
    }
    Address at = to instanceof PhysicalAddress ? to : getPhysicalAddressFromCache(to);
    return at instanceof IpAddress ip
        ? new InetSocketAddress(ip.getIpAddress(), ip.getPort())
        : null;
  }

  @Override
  public Object down(Message message) {
    setSourceAddress(message);
    Address to = message.getDest();
    boolean toSelf = to != null && (to.equals(local_addr) || to.equals(local_physical_addr));
    if ((to == null || toSelf) && !message.isFlagSet(Message.TransientFlag.DONT_LOOPBACK)) {
      msg_processing_policy.loopback(message, message.isFlagSet(Message.Flag.OOB));
    }
    if (toSelf) {
      return null;
    }
    InetSocketAddress place = to == null ? null : placeOf(to);
    if (to != null && place == null) {
      log.debug("%s: a message to %s is dropped, which is nowhere", local_addr, to);
      return null;
    }
    int kind = (to == null ? Links.MULTICAST : 0) | (isData(message) ? Links.DATA : 0);
    Address process = to instanceof PhysicalAddress ? null : to;
    links.send(process, place, kind, encode(kind, message));
    return null;
  }

  private static boolean isData(Message message) {
    return message.isFlagSet(Message.Flag.NO_RELIABILITY) && !message.isFlagSet(Message.Flag.OOB);
  }

  private ByteBuf encode(int kind, Message message) {
    ByteBuf frame = ByteBufAllocator.DEFAULT.directBuffer(HEADERS_BYTES + message.getLength());
    frame.writeInt(0).writeByte(kind);
    try {
      frame.writeShort(message.getType());
      message.writeToNoAddrs(local_addr, new ByteBufOutputStream(frame));
      return frame.setInt(0, frame.readableBytes() - Integer.BYTES);
    } catch (IOException | RuntimeException e) {
      frame.release();
      throw new IllegalStateException("a message cannot be encoded", e);
    }
  }

  @Override
  public void sendUnicast(PhysicalAddress to, byte[] bytes, int offset, int length) {
    throw new UnsupportedOperationException("messages are not encoded by JGroups");
  }

  @Override
  public void received(Address from, int kind, ByteBuf frame) {
    Message message = decode(from, kind, frame);
    boolean data = (kind & Links.DATA) != 0;
    if (data != isData(message)) {
      // JGroups would keep it for those before it, though it may be as long as the group's.
      throw new IllegalArgumentException("its message is not of the kind that it says");
    }
    Address source = message.getSrc();
    boolean viewed = places.containsKey(source);
    if (!viewed && !source.equals(from)) {
      log.debug("%s: %s passes on a message of %s, which is nobody", local_addr, from, source);
    } else if (data) {
      up_prot.up(message);
    } else {
      // A queue of its own would stay for everybody who ever said something.
      boolean unqueued = !viewed || message.isFlagSet(Message.Flag.OOB);
      msg_processing_policy.process(message, unqueued);
    }
  }

  private Message decode(Address from, int kind, ByteBuf frame) {
    try {
      Message message = messageOf(frame.readShort());
      message.readFrom(new ByteBufInputStream(frame));
      if (message.getSrc() == null) {
        message.setSrc(from);
      }
      return (kind & Links.MULTICAST) == 0 ? message.setDest(local_addr) : message;
    } catch (IOException | ClassNotFoundException | RuntimeException e) {
      throw new IllegalArgumentException("its message cannot be understood: " + e, e);
    }
  }

  /**
   * Where there is a secret, all that others than JGroups' lowest protocols say is encrypted, in
   * bytes; objects of strangers are not made.
   */
  private Message messageOf(short type) {
    if (type == Message.BYTES_MSG) {
      return new FramedBytes();
    }
    if (type != Message.EMPTY_MSG && settings.secret().isPresent()) {
      throw new IllegalArgumentException("a message of type %d is not encrypted".formatted(type));
    }
    return MessageFactory.create(type);
  }

  /** JGroups' own are without a bound. What is dropped comes again. */
  private static final class BoundedQueues extends MaxOneThreadPerSender {
    BoundedQueues() {
      max_buffer_size = WAITING_MAX;
    }
  }

  /** JGroups would make as large an array as anybody's message says. */
  private static final class FramedBytes extends BytesMessage {
    @Override
    public void readPayload(DataInput in) throws IOException {
      int length = in.readInt();
      int there = ((InputStream) in).available();
      if (length > there) {
        throw new IOException("it says that it has %d bytes, and has %d".formatted(length, there));
      }
      if (length >= 0) {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        setArray(bytes, 0, length);
      }
    }
  }

  @Override
  public void ended(Address process) {
    broken.accept(process);
    suspect(() -> up_prot.up(new Event(Event.SUSPECT, List.of(process))));
  }

  @Override
  public void gone(Address process) {
    GroupVerify verify = stack.findProtocol(GroupVerify.class);
    suspect(() -> verify.gone(process));
  }

  /** Who acts on it may wait for others, so not on the loop's thread. */
  private void suspect(Runnable task) {
    if (!thread_pool.execute(task)) {
      log.debug("%s: no thread for a suspicion, which silence will raise again", local_addr);
    }
  }

  @Override
  public boolean isStranger(Hello hello) {
    return strangers.test(hello);
  }
}

package io.mgtm.gtm.node;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.CommandsWriter;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.mgtm.gtm.wire.link.NodeFrameDecoder;
import io.mgtm.gtm.wire.link.NodeFrameHandler;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.ReplyDecoder;
import io.mgtm.gtm.wire.xc12.ReplyHandler;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;

/** A gateway's link, as simple as can be: one thread asks, another reads what comes. */
final class LinkClient implements AutoCloseable, NodeFrameHandler {
  private static final int WAIT_SECONDS = 180;

  /** What came. */
  sealed interface Event {
    record Stood(Leadership leadership) implements Event {}

    record Attached(long session, long last) implements Event {}

    record Refused(long session, RefusalCode code, String message) implements Event {}

    record Replied(long session, long number, short backend, Object reply) implements Event {}

    record Ponged(long nonce) implements Event {}

    record Closed() implements Event {}
  }

  /** An error reply. */
  record ErrorReply(String message) {}

  private final Socket socket;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final NodeFrameDecoder decoder = new NodeFrameDecoder(LinkFormat.FRAME_BYTES_MAX, this);
  private final String name;
  private final LinkSecret secret;
  private volatile Leadership leadership;
  private volatile boolean proxied;

  private LinkClient(Socket socket, String name, LinkSecret secret) {
    this.socket = socket;
    this.name = name;
    this.secret = secret;
  }

  /** Connects and says who it is; the leadership is awaited. */
  static LinkClient connect(InetSocketAddress address, String name) throws IOException {
    return connect(address, name, null, SocketFactory.getDefault());
  }

  static LinkClient connect(
      InetSocketAddress address, String name, LinkSecret secret, SocketFactory sockets)
      throws IOException {
    LinkClient client = open(address, name, secret, sockets);
    ByteBuf out = Unpooled.buffer();
    LinkWriter.preface(out, LinkFormat.VERSION);
    LinkWriter.hello(out, name, GatewayKind.PROXY);
    client.send(out);
    client.startReading(); // Over TLS the node asks for the secret at once; who it is comes first.
    return client;
  }

  /** Connects and says nothing. */
  static LinkClient raw(
      InetSocketAddress address, String name, LinkSecret secret, SocketFactory sockets)
      throws IOException {
    LinkClient client = open(address, name, secret, sockets);
    client.startReading();
    return client;
  }

  private static LinkClient open(
      InetSocketAddress address, String name, LinkSecret secret, SocketFactory sockets)
      throws IOException {
    Socket socket = sockets.createSocket();
    socket.connect(address);
    socket.setTcpNoDelay(true);
    return new LinkClient(socket, name, secret);
  }

  private void startReading() {
    Thread reader = new Thread(this::read, "link-" + name);
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    ByteBuf in = Unpooled.buffer();
    try {
      while (in.discardReadBytes().ensureWritable(4_096).writeBytes(socket.getInputStream(), 4_096)
          >= 0) {
        decoder.decode(in);
      }
      events.add(new Event.Closed());
    } catch (IOException e) {
      events.add(new Event.Closed());
    } catch (WireException e) {
      throw new IllegalStateException(e);
    }
  }

  void send(ByteBuf out) throws IOException {
    socket.getOutputStream().write(out.array(), 0, out.readableBytes());
  }

  void attach(long session, boolean fresh) throws IOException {
    attach(session, fresh, false);
  }

  void attach(long session, boolean fresh, boolean asProxy) throws IOException {
    proxied = asProxy;
    ByteBuf out = Unpooled.buffer();
    LinkWriter.attach(out, session, fresh, 0, asProxy);
    send(out);
  }

  void commands(long session, long acked, long first, Command... commands) throws IOException {
    commands(session, acked, first, List.of(commands));
  }

  void commands(long session, long acked, long first, List<Command> commands) throws IOException {
    ByteBuf out = Unpooled.buffer();
    CommandsWriter writer = new CommandsWriter();
    writer.begin(out, session, acked, first);
    commands.forEach(command -> writer.add((short) 5, command));
    writer.end();
    send(out);
  }

  void closeSession(long session) throws IOException {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.close(out, session);
    send(out);
  }

  void ping(long nonce) throws IOException {
    ByteBuf out = Unpooled.buffer();
    LinkWriter.ping(out, nonce);
    send(out);
  }

  /** What came next. */
  Event next() throws InterruptedException {
    Event event = events.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    if (event == null) {
      throw new AssertionError("nothing came within " + WAIT_SECONDS + " s");
    }
    return event;
  }

  /** The next event of a kind; leaderships are passed over. */
  <T extends Event> T next(Class<T> kind) throws InterruptedException {
    Event event = kind == Event.Stood.class ? next() : nextButLeaderships();
    if (!kind.isInstance(event)) {
      throw new AssertionError("expected " + kind.getSimpleName() + ", and this came: " + event);
    }
    return kind.cast(event);
  }

  /** The next event that is no leadership. */
  Event nextButLeaderships() throws InterruptedException {
    Event event = next();
    while (event instanceof Event.Stood) {
      event = next();
    }
    return event;
  }

  Object reply() throws InterruptedException {
    return next(Event.Replied.class).reply();
  }

  /** The last leadership that was told, null before any was. */
  Leadership leadership() {
    return leadership;
  }

  /** Waits for the answer to an attach, or the end of the link: whether it was granted. */
  boolean attachedOrRefused() {
    try {
      while (true) {
        Event event = next();
        if (!(event instanceof Event.Stood)) {
          return event instanceof Event.Attached;
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  boolean leads() {
    return leadership != null && leadership.leading();
  }

  @Override
  public void challenge(byte[] nonce) {
    if (secret != null) {
      ByteBuf out = Unpooled.buffer();
      LinkWriter.auth(out, secret.answer(nonce, name));
      try {
        send(out);
      } catch (IOException e) {
        events.add(new Event.Closed());
      }
    }
  }

  @Override
  public void leadership(Leadership now) {
    leadership = now;
    events.add(new Event.Stood(now));
  }

  @Override
  public void attached(long session, long last) {
    events.add(new Event.Attached(session, last));
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    events.add(new Event.Refused(session, code, message));
  }

  @Override
  public void reply(long session, long number, boolean close, ByteBuf bytes) throws WireException {
    Object[] decoded = {Reply.None.INSTANCE};
    short[] to = {Command.NO_BACKEND};
    ByteBuf copy = bytes.copy();
    new ReplyDecoder(
            ReplyDecoder.FRAME_BYTES_MAX,
            proxied,
            new ReplyHandler() {
              @Override
              public void startupAccepted() {
                throw new IllegalStateException("a startup reply over a link");
              }

              @Override
              public void reply(ResultType type, short backend, Reply reply) {
                decoded[0] = reply;
                to[0] = backend;
              }

              @Override
              public void error(short backend, boolean fatal, String message, String hint) {
                decoded[0] = new ErrorReply(message);
              }
            })
        .decode(copy);
    events.add(new Event.Replied(session, number, to[0], decoded[0]));
  }

  @Override
  public void pong(long nonce) {
    events.add(new Event.Ponged(nonce));
  }

  @Override
  public void adminReply(long id, AdminReplyKind kind, ByteBuf bytes) {
    throw new IllegalStateException("an answer that nobody asked for");
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}

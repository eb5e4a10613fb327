package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginItem;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.FrameLimits;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.mgtm.gtm.wire.xc12.RequestEncoder;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A connection to an original GTM as a session: commands go out as an original proxy's do, replies
 * come back in their order, without the proxy's header for plain clients.
 *
 * <p>A begin goes as a group of one, as the original proxy does it: only so the GTM learns which
 * backend the transaction belongs to (gtm_txn.c, ProcessBeginTransactionGetGXIDCommandMulti).
 */
final class XcSession implements UpstreamSession, XcConnection.Listener {
  private static final int COMMANDS_MAX = 16_384;
  private static final int BYTES_MAX = 8 << 20;
  private static final int OUT_BYTES = 16 * 1024;

  /** Result type behind a frame's header, then the connection number. */
  private static final int RESULT_END = FrameLimits.HEADER_BYTES + Integer.BYTES;

  /** Gxid and timestamp behind the result type. */
  private static final int BEGAN_BYTES = 2 * Integer.BYTES + Integer.BYTES + Long.BYTES;

  private record Pending(ReplyTarget target, boolean begin) {}

  private final XcUpstream upstream;
  private final boolean proxied;
  private final Backoff backoff;
  private final RequestEncoder encoder = new RequestEncoder();
  private final ReplyEncoder errors = new ReplyEncoder();
  private final Deque<Pending> pending = new ArrayDeque<>();
  private final Set<SessionClient> clients = new LinkedHashSet<>();
  private final Deque<SessionClient> waiting = new ArrayDeque<>();
  private XcConnection connection;
  private ByteBuf out;
  private boolean accepted;
  private boolean dirty;
  private boolean ended;

  XcSession(XcUpstream upstream, boolean proxied, Backoff backoff) {
    this.upstream = upstream;
    this.proxied = proxied;
    this.backoff = backoff;
  }

  void connect() {
    if (!ended && !upstream.closed()) {
      connection = upstream.connect(NodeType.PROXY, false, this);
    }
  }

  int pending() {
    return pending.size();
  }

  @Override
  public long id() {
    return 0;
  }

  @Override
  public boolean hasRoom() {
    return pending.size() < COMMANDS_MAX && (out == null || out.readableBytes() < BYTES_MAX);
  }

  @Override
  public void awaitRoom(SessionClient client) {
    waiting.addLast(client);
  }

  @Override
  public void submit(short backend, Command command, ReplyTarget target) {
    if (ended) {
      target.lost("the connection to the GTM has ended", "");
      return;
    }
    if (out == null) {
      out = PooledByteBufAllocator.DEFAULT.directBuffer(OUT_BYTES);
    }
    boolean begin =
        !proxied && command instanceof TransactionCommand.Begin b && b.kind() == BeginKind.GXID;
    if (begin) {
      TransactionCommand.Begin b = (TransactionCommand.Begin) command;
      BeginItem item = new BeginItem(backend, b.isolation(), b.readOnly());
      encoder.command(
          out,
          true,
          Command.NO_BACKEND,
          new TransactionCommand.BeginMany(b.session(), List.of(item)));
    } else {
      encoder.command(out, true, backend, command);
    }
    markDirty();
    if (command.type() == CommandType.DISCONNECT_BACKEND) {
      target.reply(false, Unpooled.EMPTY_BUFFER); // The GTM does not answer it.
    } else {
      pending.addLast(new Pending(target, begin));
    }
  }

  private void markDirty() {
    if (!dirty && accepted) {
      dirty = true;
      upstream.dirty(this);
    }
  }

  /** Sends what was submitted, and asks the GTM to send what it has answered. */
  void flush() {
    dirty = false;
    if (out != null && accepted && !ended) {
      encoder.flush(out);
      ByteBuf bytes = out;
      out = null;
      connection.send(bytes);
    }
  }

  @Override
  public void accepted() {
    accepted = true;
    upstream.accepted(this);
    if (out != null) {
      markDirty();
    }
  }

  @Override
  public boolean takes(byte type, ByteBuf head, long bytes) throws WireException {
    expected();
    if (type != 'S') {
      throw new WireException("a frame of type " + (type & 0xff) + " and " + bytes + " bytes");
    }
    ReplyRoom.Refusal refusal = upstream.refusal(bytes);
    if (refusal == null) {
      return true;
    }
    short backend = proxied ? head.getShortLE(head.readerIndex() + RESULT_END) : Command.NO_BACKEND;
    ByteBuf error = PooledByteBufAllocator.DEFAULT.directBuffer();
    errors.error(error, proxied, backend, false, refusal.message(), refusal.hint());
    answer(error);
    error.release();
    return false;
  }

  /** Length of the long reply of which a part has come, or 0. */
  long comingBytes() {
    return connection == null ? 0 : connection.comingBytes();
  }

  @Override
  public void frame(byte type, ByteBuf frame) throws WireException {
    Pending next = expected();
    int header = type == 'S' ? RESULT_END : FrameLimits.HEADER_BYTES;
    if (frame.readableBytes() < header + Short.BYTES) {
      throw new WireException("a reply of " + frame.readableBytes() + " bytes");
    }
    ByteBuf reply = null;
    if (!proxied) {
      reply = next.begin() && type == 'S' ? began(frame) : withoutNumber(type, frame);
    }
    answer(proxied ? frame : reply);
    if (reply != null) {
      reply.release();
    }
  }

  private Pending expected() throws WireException {
    Pending next = pending.peekFirst();
    if (next == null) {
      throw new WireException("a reply that nothing was asked for");
    }
    return next;
  }

  private void answer(ByteBuf reply) {
    pending.removeFirst().target().reply(false, reply);
    if (!waiting.isEmpty() && pending.size() <= COMMANDS_MAX / 2 && hasRoom()) {
      for (int left = waiting.size(); left > 0 && hasRoom(); left--) {
        waiting.removeFirst().resume();
      }
    }
  }

  private static ByteBuf withoutNumber(byte type, ByteBuf frame) {
    int at = frame.readerIndex();
    int headerBytes = type == 'S' ? RESULT_END : FrameLimits.HEADER_BYTES;
    int length = frame.readableBytes();
    ByteBuf reply = PooledByteBufAllocator.DEFAULT.directBuffer(length);
    reply.writeByte(type).writeInt(length - 1 - Short.BYTES);
    reply.writeBytes(frame, at + FrameLimits.HEADER_BYTES, headerBytes - FrameLimits.HEADER_BYTES);
    int from = headerBytes + Short.BYTES;
    return reply.writeBytes(frame, at + from, length - from);
  }

  /** A group of one as the reply to a single begin. */
  private static ByteBuf began(ByteBuf frame) throws WireException {
    int body = frame.readerIndex() + RESULT_END + Short.BYTES;
    int result = frame.getInt(frame.readerIndex() + FrameLimits.HEADER_BYTES);
    int bodyBytes = 2 * Integer.BYTES + Long.BYTES;
    if (result != ResultType.TXN_BEGIN_GETGXID_MULTI.code()
        || frame.readableBytes() != RESULT_END + Short.BYTES + bodyBytes
        || frame.getIntLE(body) != 1) {
      throw new WireException("a begin was answered with result " + result);
    }
    ByteBuf reply = PooledByteBufAllocator.DEFAULT.directBuffer(1 + BEGAN_BYTES);
    reply.writeByte('S').writeInt(BEGAN_BYTES);
    reply.writeInt(ResultType.TXN_BEGIN_GETGXID.code());
    return reply.writeBytes(frame, body + Integer.BYTES, Integer.BYTES + Long.BYTES);
  }

  @Override
  public void closed(String why) {
    if (ended) {
      return;
    }
    if (!accepted) {
      upstream.unreachable(this, backoff.isReset(), why);
      upstream.time().after(backoff.nextMs(), this::connect);
      return;
    }
    upstream.broken(this, why);
    lost("the connection to the GTM broke: " + why, "");
  }

  private void lost(String message, String hint) {
    ended = true;
    dropOut();
    while (!pending.isEmpty()) {
      pending.removeFirst().target().lost(message, hint);
    }
    // Who waits for room may be a client that has gone, which is in no other list.
    Set<SessionClient> told = new LinkedHashSet<>(clients);
    told.addAll(waiting);
    clients.clear();
    waiting.clear();
    told.forEach(client -> client.sessionLost(message, hint));
  }

  private void dropOut() {
    if (out != null) {
      out.release();
      out = null;
    }
  }

  @Override
  public void join(SessionClient client) {
    clients.add(client);
  }

  @Override
  public void leave(SessionClient client) {
    clients.remove(client);
    waiting.remove(client);
  }

  @Override
  public void close() {
    if (!ended) {
      flush();
      ended = true;
      dropOut();
      pending.clear();
      upstream.ended(this);
      if (connection != null) {
        connection.close("this gateway closed it");
      }
    }
  }
}

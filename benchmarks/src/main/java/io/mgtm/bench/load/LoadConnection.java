package io.mgtm.bench.load;

import io.mgtm.bench.check.Checker;
import io.mgtm.bench.check.SequenceChecker;
import io.mgtm.bench.check.TransactionTrack;
import io.mgtm.gtm.wire.xc12.FrameLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/**
 * One connection: it sends a request, reads the reply, tells the checker of both, and goes on with
 * the next of its mix. Its loop's thread.
 *
 * <pre>
 *  0    1          5          9
 * +----+----------+----------+------------------------------+
 * | S  | length   | result   | gxid, status | gxid, time | … |
 * +----+----------+----------+------------------------------+
 * </pre>
 */
final class LoadConnection {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int FIELDS = FrameLimits.HEADER_BYTES + Integer.BYTES;

  private final LoadLoop loop;
  private final Checker checker;
  private final SequenceChecker sequence;
  private final RequestTemplates requests;
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);

  /** The same bytes, for fields that are little-endian. */
  private final ByteBuffer inHost = in.duplicate().order(ByteOrder.LITTLE_ENDIAN);

  private int nextTarget;
  private InetSocketAddress target;
  private SocketChannel channel;
  private SelectionKey key;
  private TransactionTrack track;
  private long valueKnownBefore;

  /** Of the transaction that is open. */
  private int snapshots;

  /** What is under way; null while connecting and until the startup packet is answered. */
  private Operation operation;

  private final ClientWait waited = new ClientWait();
  private long sentNanos;
  private boolean acceptedOnce;
  private boolean finished;

  LoadConnection(
      LoadLoop loop,
      int firstTarget,
      Checker checker,
      SequenceChecker sequence,
      RequestTemplates requests) {
    this.loop = loop;
    this.nextTarget = firstTarget;
    this.checker = checker;
    this.sequence = sequence;
    this.requests = requests;
    this.track = checker.newTrack();
  }

  /** Begins to connect. */
  void connect(Selector selector) throws IOException {
    target = loop.target(nextTarget++);
    sentNanos = System.nanoTime();
    operation = null;
    in.clear();
    channel = SocketChannel.open();
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    key = channel.register(selector, SelectionKey.OP_CONNECT, this);
    if (channel.connect(target)) {
      connected();
    }
  }

  private void connected() throws IOException {
    key.interestOps(SelectionKey.OP_READ);
    write(requests.startup());
  }

  /** The selector says that something can be done. */
  void ready() throws IOException {
    if (key.isConnectable()) {
      if (channel.finishConnect()) {
        connected();
      }
      return;
    }
    if (channel.read(in) < 0) {
      throw new IOException("the GTM closed the connection");
    }
    int frameBytes = wholeFrame();
    if (frameBytes > 0) {
      reply(frameBytes);
    }
  }

  /** The bytes of the frame that has come, or 0 while some are missing. */
  private int wholeFrame() throws IOException {
    if (in.position() < FrameLimits.HEADER_BYTES) {
      return 0;
    }
    long frameBytes = 1L + in.getInt(1);
    if (frameBytes < FrameLimits.HEADER_BYTES || frameBytes > BUFFER_BYTES) {
      throw new IOException("the length of a reply is " + (frameBytes - 1));
    }
    if (in.position() > frameBytes) {
      throw new IOException("more came than was asked for");
    }
    return in.position() == frameBytes ? (int) frameBytes : 0;
  }

  private void reply(int frameBytes) throws IOException {
    long now = System.nanoTime();
    byte type = in.get(0);
    if (type == 'S' && operation != null) {
      if (frameBytes < FIELDS || in.getInt(FrameLimits.HEADER_BYTES) != operation.resultCode()) {
        throw new IOException("the reply to " + operation + " is of another type");
      }
      succeeded(frameBytes);
      waited.served(now - sentNanos);
      loop.served(operation, now - sentNanos, now);
    } else if (type == 'E') {
      failed(frameBytes);
      return;
    } else if (type == 'R' && operation == null) {
      if (!acceptedOnce) {
        acceptedOnce = true;
        loop.accepted();
      }
    } else {
      throw new IOException("unexpected reply type " + (char) type);
    }
    in.clear();
    Operation next = operation == null ? null : loop.mix().after(operation, snapshots);
    send(next == null ? loop.firstOperation(now) : next, now);
  }

  private void succeeded(int frameBytes) throws IOException {
    switch (operation) {
      case BEGIN -> {
        require(frameBytes >= FIELDS + Integer.BYTES);
        checker.begun(track, inHost.getInt(FIELDS));
        snapshots = 0;
      }
      case SNAPSHOT -> snapshot(frameBytes);
      case COMMIT, ROLLBACK -> {
        require(frameBytes >= FIELDS + 2 * Integer.BYTES);
        if (in.getInt(FIELDS + Integer.BYTES) != 0) {
          throw new IOException(operation + ": the GTM knows no such transaction");
        }
        checker.ended(track);
      }
      case NEXT_VALUE -> {
        require(frameBytes >= FIELDS + Integer.BYTES + Long.BYTES);
        sequence.drawn(inHost.getLong(frameBytes - Long.BYTES), valueKnownBefore);
      }
    }
  }

  /** Gxid, one status, xmin, xmax, recent global xmin, big-endian count, gxids. */
  private void snapshot(int frameBytes) throws IOException {
    snapshots++;
    int fixed = FIELDS + 7 * Integer.BYTES;
    require(frameBytes >= fixed && inHost.getInt(FIELDS + 4) == 1);
    int count = in.getInt(fixed - Integer.BYTES);
    require(count >= 0 && fixed + (long) count * Integer.BYTES == frameBytes);
    if (inHost.getInt(FIELDS) != track.gxid() || inHost.getInt(FIELDS + 8) != 0) {
      throw new IOException("a snapshot for " + track.gxid() + " is another transaction's");
    }
    checker.snapshotReceived(
        track,
        inHost.getInt(FIELDS + 12),
        inHost.getInt(FIELDS + 16),
        inHost.getInt(FIELDS + 20),
        inHost,
        fixed,
        count);
  }

  private void require(boolean holds) throws IOException {
    if (!holds) {
      throw new IOException("the reply to " + operation + " has not the fields that it should");
    }
  }

  /** An 'E' frame: the request failed, and what became of the transaction is not known. */
  private void failed(int frameBytes) throws IOException {
    byte[] fields = new byte[frameBytes - FrameLimits.HEADER_BYTES];
    in.get(FrameLimits.HEADER_BYTES, fields);
    StringJoiner said = new StringJoiner("; ");
    for (String field : new String(fields, StandardCharsets.UTF_8).split("\0", -1)) {
      if (field.startsWith("M") || field.startsWith("H")) {
        said.add(field.substring(1));
      }
    }
    throw new IOException((operation == null ? "startup" : operation) + " was refused: " + said);
  }

  private void send(Operation next, long now) throws IOException {
    if (next == null) {
      finished = true;
      close();
      return;
    }
    operation = next;
    sentNanos = now;
    switch (next) {
      case BEGIN -> {
        checker.beginAsked(track);
        write(requests.request(next));
      }
      case SNAPSHOT -> {
        checker.snapshotAsked(track);
        write(requests.request(next, track.gxid()));
      }
      case COMMIT, ROLLBACK -> {
        checker.endAsked(track);
        write(requests.request(next, track.gxid()));
      }
      case NEXT_VALUE -> {
        valueKnownBefore = sequence.asked();
        write(requests.request(next));
      }
    }
  }

  private void write(ByteBuffer request) throws IOException {
    channel.write(request);
    if (request.hasRemaining()) {
      // Nothing else is under way, so that any socket buffer has room for it.
      throw new IOException("a request of " + request.limit() + " bytes could not be sent");
    }
  }

  /** Gives the connection up; what it had under way is in doubt for good. */
  void broken() throws IOException {
    close();
    checker.lost(track);
    track = checker.newTrack();
  }

  void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }

  /** What its client waited for answers. Any thread. */
  ClientWait waited() {
    return waited;
  }

  /** Whether it has nothing more to do. */
  boolean finished() {
    return finished;
  }

  /** Whether what it waits for was sent before {@code nanos}. */
  boolean waitsSince(long nanos) {
    return !finished && channel.isOpen() && sentNanos - nanos < 0;
  }

  @Override
  public String toString() {
    return "connection to "
        + target.getHostString()
        + ":"
        + target.getPort()
        + (operation == null ? "" : ", waiting for " + operation);
  }
}

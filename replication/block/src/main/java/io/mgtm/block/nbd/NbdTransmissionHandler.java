package io.mgtm.block.nbd;

import io.mgtm.block.volume.Errno;
import io.mgtm.block.wire.BatchWriter;
import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.Rarely;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transmission phase of one NBD connection.
 *
 * <pre>
 * request  25609513 | flags 16 | type 16 | cookie 64 | offset 64 | length 32 | payload of a write
 * simple   67446698 | error 32 | cookie 64 | payload of a read
 * chunk    668e33ef | flags 16 | type 16 | cookie 64 | length 32 | payload
 * </pre>
 *
 * <p>Requests under way and replies that the client has not taken yet are bounded: above the bounds
 * nothing more of the connection is read, nor of what was read already.
 */
final class NbdTransmissionHandler extends ChannelInboundHandlerAdapter implements NbdClient {
  private static final Logger LOG = LoggerFactory.getLogger(NbdTransmissionHandler.class);
  private static final Rarely STRANGERS = new Rarely();
  private static final int REQUESTS_MAX = 1024;
  private static final long BYTES_MAX = 128L << 20;

  private final NbdExport export;
  private final NbdMeter meter;
  private final boolean structured;
  private final boolean blockStatus;
  private final int contextId;
  private final ArrayDeque<NbdRequest> idle = new ArrayDeque<>();
  private ChannelHandlerContext context;
  private BatchWriter writer;
  private NbdReplyWriter replies;
  private final ArrayDeque<ByteBuf> unread = new ArrayDeque<>();
  private ByteBuf partialHeader;
  private NbdRequest receiving;
  private ByteBuf payload;
  private long skipBytes;
  private NbdRequest refused;
  private int underWay;
  private long bytesUnderWay;
  private boolean paused;
  private boolean draining;
  private boolean closing;

  NbdTransmissionHandler(
      NbdExport export, NbdMeter meter, boolean structured, boolean blockStatus, int contextId) {
    this.export = export;
    this.meter = meter;
    this.structured = structured;
    this.blockStatus = blockStatus;
    this.contextId = contextId;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    writer = new BatchWriter(ctx.channel());
    replies = new NbdReplyWriter(writer, structured);
    partialHeader = ctx.alloc().buffer(Nbd.REQUEST_HEADER_BYTES, Nbd.REQUEST_HEADER_BYTES);
    export.opened(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    unread.add((ByteBuf) message);
    drain();
  }

  /** Takes requests from what was read, until a bound is reached. */
  private void drain() {
    if (draining) {
      return;
    }
    draining = true;
    try {
      while (!unread.isEmpty() && (!paused || closing)) {
        ByteBuf in = unread.peek();
        if (closing || !in.isReadable()) {
          unread.poll().release();
        } else if (skipBytes > 0) {
          skip(in);
        } else if (payload != null) {
          fill(in);
        } else {
          header(in);
        }
      }
    } finally {
      draining = false;
    }
  }

  private void skip(ByteBuf in) {
    int count = (int) Math.min(skipBytes, in.readableBytes());
    in.skipBytes(count);
    skipBytes -= count;
    if (skipBytes == 0) {
      NbdRequest request = refused;
      refused = null;
      answer(request, Nbd.EINVAL);
    }
  }

  private void fill(ByteBuf in) {
    int count = Math.min(payload.writableBytes(), in.readableBytes());
    payload.writeBytes(in, count);
    if (!payload.isWritable()) {
      ByteBuf whole = payload;
      payload = null;
      NbdRequest request = receiving;
      receiving = null;
      write(request, whole);
    }
  }

  private void header(ByteBuf in) {
    if (partialHeader.isReadable() || in.readableBytes() < Nbd.REQUEST_HEADER_BYTES) {
      int count = Math.min(partialHeader.writableBytes(), in.readableBytes());
      partialHeader.writeBytes(in, count);
      if (!partialHeader.isWritable()) {
        parse(partialHeader, in);
        partialHeader.clear();
      }
    } else {
      parse(in, in);
    }
  }

  private void parse(ByteBuf header, ByteBuf rest) {
    if (header.readInt() != Nbd.REQUEST_MAGIC) {
      fatal("a request does not begin with NBD's magic number");
      return;
    }
    NbdRequest request = idle.isEmpty() ? new NbdRequest(this) : idle.poll();
    request.flags = header.readUnsignedShort();
    request.command = header.readUnsignedShort();
    request.cookie = header.readLong();
    request.offset = header.readLong();
    request.length = header.readUnsignedInt();
    request.startedNs = System.nanoTime();
    started(request);
    if (request.command == Nbd.CMD_DISC) {
      closing = true;
      answered(request);
      close();
    } else if (request.command == Nbd.CMD_WRITE) {
      receive(request, rest);
    } else {
      int refusal = NbdChecks.refusal(request, export, blockStatus);
      if (refusal != Errno.OK) {
        answer(request, refusal);
      } else {
        dispatch(request);
      }
    }
  }

  private void receive(NbdRequest request, ByteBuf rest) {
    if (request.length > Nbd.PAYLOAD_BYTES_MAX) {
      refused = request;
      skipBytes = request.length;
      return;
    }
    int length = (int) request.length;
    if (rest.readableBytes() >= length) {
      write(request, rest.readRetainedSlice(length));
    } else {
      receiving = request;
      payload = context.alloc().directBuffer(length, length);
    }
  }

  private void write(NbdRequest request, ByteBuf data) {
    int refusal = NbdChecks.refusal(request, export, blockStatus);
    if (refusal != Errno.OK || request.length == 0) {
      data.release();
      answer(request, refusal);
      return;
    }
    request.buffer = data;
    boolean fua = (request.flags & Nbd.CMD_FLAG_FUA) != 0;
    export.submit(
        request.change.write(request.offset, (int) request.length, fua, data).context(request));
  }

  private void dispatch(NbdRequest request) {
    boolean fua = (request.flags & Nbd.CMD_FLAG_FUA) != 0;
    switch (request.command) {
      case Nbd.CMD_READ -> read(request);
      case Nbd.CMD_FLUSH -> export.submit(request.change.flush().context(request));
      case Nbd.CMD_TRIM ->
          export.submit(
              request.change.zero(request.offset, request.length, fua, true).context(request));
      case Nbd.CMD_WRITE_ZEROES -> {
        boolean unmap = (request.flags & Nbd.CMD_FLAG_NO_HOLE) == 0;
        export.submit(
            request.change.zero(request.offset, request.length, fua, unmap).context(request));
      }
      case Nbd.CMD_CACHE -> {
        export.prefetch(request.offset, request.length);
        answer(request, Errno.OK);
      }
      default -> {
        replies.blockStatus(request, contextId, export);
        answered(request);
      }
    }
  }

  private void read(NbdRequest request) {
    int length = (int) request.length;
    if (export.readsAtOnce()) {
      ByteBuf batch = writer.reserve(replies.readHeaderBytes() + length);
      int start = batch.writerIndex();
      replies.readHeader(batch, request);
      export.read(request.offset, length, batch, request);
      if (request.errno == Errno.OK) {
        count(request, false);
        answered(request);
      } else {
        // What was begun is taken back; it is asked for elsewhere, or an error is sent.
        batch.writerIndex(start);
        readAgainOrAnswer(request, request.errno);
      }
    } else {
      ByteBuf own = context.alloc().directBuffer(replies.readHeaderBytes() + length);
      replies.readHeader(own, request);
      request.buffer = own;
      export.read(request.offset, length, own, request);
    }
  }

  /** The volume is done with {@code request}. */
  void completed(NbdRequest request, int errno) {
    if (request.command == Nbd.CMD_READ) {
      readCompleted(request, errno);
      return;
    }
    if (request.buffer != null) {
      request.buffer.release();
      request.buffer = null;
    }
    answer(request, errno);
  }

  private void readCompleted(NbdRequest request, int errno) {
    ByteBuf buffer = request.buffer;
    if (buffer == null) {
      request.errno = errno;
      return;
    }
    request.buffer = null;
    if (errno != Errno.OK || closing) {
      buffer.release();
      readAgainOrAnswer(request, errno);
    } else {
      writer.write(buffer);
      count(request, false);
      answered(request);
    }
  }

  private void readAgainOrAnswer(NbdRequest request, int errno) {
    if (errno == Errno.EIO && export.readsElsewhere() && !closing) {
      read(request);
    } else {
      answer(request, errno);
    }
  }

  private void answer(NbdRequest request, int errno) {
    if (!closing) {
      replies.done(request, errno);
    }
    count(request, errno != Errno.OK);
    answered(request);
  }

  private void count(NbdRequest request, boolean failed) {
    NbdMeter.Kind kind =
        switch (request.command) {
          case Nbd.CMD_READ -> NbdMeter.Kind.READ;
          case Nbd.CMD_WRITE -> NbdMeter.Kind.WRITE;
          case Nbd.CMD_FLUSH -> NbdMeter.Kind.FLUSH;
          default -> NbdMeter.Kind.ZERO;
        };
    meter.count(kind, request.length, System.nanoTime() - request.startedNs, failed);
  }

  private static long weight(NbdRequest request) {
    return request.command == Nbd.CMD_READ || request.command == Nbd.CMD_WRITE
        ? Math.min(request.length, Nbd.PAYLOAD_BYTES_MAX)
        : 0;
  }

  private void started(NbdRequest request) {
    underWay++;
    bytesUnderWay += weight(request);
    if (underWay >= REQUESTS_MAX || bytesUnderWay >= BYTES_MAX) {
      pause();
    }
  }

  private void pause() {
    if (!paused) {
      paused = true;
      context.channel().config().setAutoRead(false);
    }
  }

  private void resumeIfRoom() {
    boolean room = underWay < REQUESTS_MAX / 2 && bytesUnderWay < BYTES_MAX / 2;
    if (paused && !closing && room && context.channel().isWritable()) {
      paused = false;
      context.channel().config().setAutoRead(true);
      drain();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    resumeIfRoom();
    super.channelWritabilityChanged(ctx);
  }

  private void answered(NbdRequest request) {
    underWay--;
    bytesUnderWay -= weight(request);
    idle.add(request);
    if (!context.channel().isWritable()) {
      pause();
    } else if (paused) {
      resumeIfRoom();
    }
  }

  private void fatal(String reason) {
    STRANGERS.run(
        more ->
            LOG.warn("NBD client {}: {}; the connection is closed{}", describe(), reason, more));
    closing = true;
    close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    closing = true;
    writer.close();
    partialHeader.release();
    partialHeader = Unpooled.EMPTY_BUFFER;
    if (payload != null) {
      payload.release();
      payload = null;
    }
    for (ByteBuf left = unread.poll(); left != null; left = unread.poll()) {
      left.release();
    }
    export.closed(this);
    super.channelInactive(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fatal(ConnectionErrors.reason(cause));
  }

  private void close() {
    var unused = context.close();
  }

  @Override
  public String describe() {
    return NbdClient.nameOf(context.channel());
  }

  @Override
  public void disconnect() {
    context.channel().eventLoop().execute(this::close);
  }
}

package io.mgtm.block.nbd;

import io.mgtm.block.wire.Newcomers;
import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.Rarely;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The negotiation of one NBD connection, until it is replaced by the {@link
 * NbdTransmissionHandler}.
 *
 * <pre>
 * option  IHAVEOPT 64 | option 32 | length 32 | data
 * reply   0003e889045565a9 | option 32 | type 32 | length 32 | data
 * </pre>
 */
final class NbdHandshakeHandler extends ByteToMessageDecoder {
  private static final Logger LOG = LoggerFactory.getLogger(NbdHandshakeHandler.class);
  private static final Rarely STRANGERS = new Rarely();
  private static final String CONTEXT = "base:allocation";
  private static final int CONTEXT_ID = 1;
  private static final int QUERIES_MAX = 64;

  /** How many options a client may send: as many as nbdkit takes. */
  static final int OPTIONS_MAX = 32;

  /** How many kinds of information it may ask for at once. */
  static final int INFOS_MAX = 32;

  private static final long HANDSHAKE_SECONDS_MAX = 30;
  private static final int ZEROES_BYTES = 124;

  private final NbdExport export;
  private final NbdMeter meter;
  private final NbdTls tls;
  private final Newcomers newcomers;
  private int options;
  private boolean greeted;
  private boolean secured;
  private boolean structured;
  private boolean noZeroes;
  private String contextFor;
  private boolean finished;

  NbdHandshakeHandler(NbdExport export, NbdMeter meter, NbdTls tls, Newcomers newcomers) {
    this.export = export;
    this.meter = meter;
    this.tls = tls;
    this.newcomers = newcomers;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) throws Exception {
    newcomers.came(this, () -> fatal(ctx, "is the oldest of too many that negotiate"));
    ByteBuf hello = ctx.alloc().buffer(18);
    hello.writeLong(Nbd.MAGIC).writeLong(Nbd.OPTION_MAGIC);
    hello.writeShort(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES);
    send(ctx, hello);
    ctx.flush();
    var unused =
        ctx.executor()
            .schedule(
                () -> {
                  if (!finished && ctx.channel().isActive()) {
                    fatal(ctx, "did not finish its negotiation in " + HANDSHAKE_SECONDS_MAX + " s");
                  }
                },
                HANDSHAKE_SECONDS_MAX,
                TimeUnit.SECONDS);
    super.channelActive(ctx);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    newcomers.left(this);
    super.channelInactive(ctx);
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (finished) {
      // Closing: what still comes is of no interest.
      in.skipBytes(in.readableBytes());
      return;
    }
    if (!greeted) {
      if (in.readableBytes() >= 4) {
        int flags = in.readInt();
        greeted = true;
        noZeroes = (flags & Nbd.FLAG_NO_ZEROES) != 0;
        if ((flags & ~(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) != 0) {
          fatal(ctx, "sent unknown flags " + Integer.toHexString(flags));
        }
      }
      return;
    }
    if (in.readableBytes() < 16) {
      return;
    }
    if (in.getLong(in.readerIndex()) != Nbd.OPTION_MAGIC) {
      fatal(ctx, "sent an option without its magic number");
      return;
    }
    long length = in.getUnsignedInt(in.readerIndex() + 12);
    if (options >= OPTIONS_MAX) {
      fatal(ctx, "sent more than " + OPTIONS_MAX + " options");
      return;
    }
    if (length > Nbd.OPTION_BYTES_MAX) {
      fatal(ctx, "sent an option of " + length + " bytes");
      return;
    }
    if (in.readableBytes() >= 16 + length) {
      int option = in.getInt(in.readerIndex() + 8);
      in.skipBytes(16);
      options++;
      option(ctx, option, in.readSlice((int) length));
    }
  }

  private void option(ChannelHandlerContext ctx, int option, ByteBuf data) {
    if (tls.isOn() && !secured && option != Nbd.OPT_STARTTLS && option != Nbd.OPT_ABORT) {
      if (option == Nbd.OPT_EXPORT_NAME) {
        fatal(ctx, "asked for the export without TLS");
      } else {
        error(ctx, option, Nbd.REP_ERR_TLS_REQD, "this server requires TLS");
        ctx.flush();
      }
      return;
    }
    switch (option) {
      case Nbd.OPT_EXPORT_NAME -> exportName(ctx, data);
      case Nbd.OPT_ABORT -> {
        finished = true;
        reply(ctx, option, Nbd.REP_ACK, new byte[0]);
        ctx.flush();
        close(ctx);
      }
      case Nbd.OPT_LIST -> list(ctx, data);
      case Nbd.OPT_STARTTLS -> startTls(ctx, data);
      case Nbd.OPT_INFO, Nbd.OPT_GO -> info(ctx, option, data);
      case Nbd.OPT_STRUCTURED_REPLY -> {
        if (data.isReadable()) {
          error(ctx, option, Nbd.REP_ERR_INVALID, "this option has no data");
        } else {
          structured = true;
          reply(ctx, option, Nbd.REP_ACK, new byte[0]);
        }
      }
      case Nbd.OPT_LIST_META_CONTEXT, Nbd.OPT_SET_META_CONTEXT -> metaContext(ctx, option, data);
      default -> error(ctx, option, Nbd.REP_ERR_UNSUP, "this option is not known");
    }
    ctx.flush();
  }

  private void exportName(ChannelHandlerContext ctx, ByteBuf data) {
    String name =
        data.readableBytes() > Nbd.NAME_BYTES_MAX ? null : data.toString(StandardCharsets.UTF_8);
    if (!isServed(name) || refusal() != null) {
      fatal(ctx, "asked for an export that is not served" + why());
      return;
    }
    ByteBuf reply = ctx.alloc().buffer(10 + ZEROES_BYTES);
    reply.writeLong(export.sizeBytes()).writeShort(transmissionFlags());
    if (!noZeroes) {
      reply.writeZero(ZEROES_BYTES);
    }
    send(ctx, reply);
    transmit(ctx, name);
  }

  private String why() {
    return refusal() == null ? "" : ": " + refusal();
  }

  private String refusal() {
    return export.unavailable() != null ? export.unavailable() : export.full();
  }

  private boolean isServed(String name) {
    return name != null && (name.isEmpty() || name.equals(export.name()));
  }

  private void list(ChannelHandlerContext ctx, ByteBuf data) {
    if (data.isReadable()) {
      error(ctx, Nbd.OPT_LIST, Nbd.REP_ERR_INVALID, "this option has no data");
      return;
    }
    byte[] name = export.name().getBytes(StandardCharsets.UTF_8);
    byte[] description = export.description().getBytes(StandardCharsets.UTF_8);
    ByteBuf payload = ctx.alloc().buffer();
    payload.writeInt(name.length).writeBytes(name).writeBytes(description);
    reply(ctx, Nbd.OPT_LIST, Nbd.REP_SERVER, payload);
    reply(ctx, Nbd.OPT_LIST, Nbd.REP_ACK, new byte[0]);
  }

  private void startTls(ChannelHandlerContext ctx, ByteBuf data) {
    if (data.isReadable() || secured) {
      error(
          ctx,
          Nbd.OPT_STARTTLS,
          Nbd.REP_ERR_INVALID,
          secured ? "TLS is on already" : "this option has no data");
    } else if (!tls.isOn()) {
      error(ctx, Nbd.OPT_STARTTLS, Nbd.REP_ERR_POLICY, "this server has no TLS set up");
    } else if (actualReadableBytes() > 0) {
      fatal(ctx, "sent more before TLS was on");
    } else {
      reply(ctx, Nbd.OPT_STARTTLS, Nbd.REP_ACK, new byte[0]);
      ctx.flush();
      secured = true;
      structured = false;
      contextFor = null;
      ctx.pipeline().addFirst("tls", tls.newHandler(ctx.channel()));
    }
  }

  private void info(ChannelHandlerContext ctx, int option, ByteBuf data) {
    String name = readName(data);
    if (name == null
        || data.readableBytes() < 2
        || data.readUnsignedShort() * 2 != data.readableBytes()) {
      error(ctx, option, Nbd.REP_ERR_INVALID, "the lengths in this option do not fit");
      return;
    }
    if (data.readableBytes() > 2 * INFOS_MAX) {
      error(ctx, option, Nbd.REP_ERR_TOO_BIG, "at most " + INFOS_MAX + " kinds of information");
      return;
    }
    if (!isServed(name)) {
      error(ctx, option, Nbd.REP_ERR_UNKNOWN, "export '" + name + "' is not served here");
      return;
    }
    if (refusal() != null) {
      error(ctx, option, Nbd.REP_ERR_POLICY, refusal());
      return;
    }
    ByteBuf size = ctx.alloc().buffer(12);
    size.writeShort(Nbd.INFO_EXPORT).writeLong(export.sizeBytes()).writeShort(transmissionFlags());
    reply(ctx, option, Nbd.REP_INFO, size);
    while (data.isReadable()) {
      extra(ctx, option, data.readUnsignedShort());
    }
    reply(ctx, option, Nbd.REP_ACK, new byte[0]);
    if (option == Nbd.OPT_GO) {
      transmit(ctx, name);
    }
  }

  private void extra(ChannelHandlerContext ctx, int option, int wanted) {
    ByteBuf info = ctx.alloc().buffer();
    info.writeShort(wanted);
    switch (wanted) {
      case Nbd.INFO_NAME -> info.writeCharSequence(export.name(), StandardCharsets.UTF_8);
      case Nbd.INFO_DESCRIPTION ->
          info.writeCharSequence(export.description(), StandardCharsets.UTF_8);
      case Nbd.INFO_BLOCK_SIZE -> info.writeInt(1).writeInt(4096).writeInt(Nbd.PAYLOAD_BYTES_MAX);
      default -> {
        info.release();
        return;
      }
    }
    reply(ctx, option, Nbd.REP_INFO, info);
  }

  private void metaContext(ChannelHandlerContext ctx, int option, ByteBuf data) {
    if (option == Nbd.OPT_SET_META_CONTEXT) {
      contextFor = null;
    }
    String name = readName(data);
    long queries = data.readableBytes() < 4 ? -1 : data.readUnsignedInt();
    if (name == null || queries < 0 || !structured) {
      error(
          ctx,
          option,
          Nbd.REP_ERR_INVALID,
          structured
              ? "the lengths in this option do not fit"
              : "structured replies must be negotiated first");
      return;
    }
    if (queries > QUERIES_MAX) {
      error(ctx, option, Nbd.REP_ERR_TOO_BIG, "at most " + QUERIES_MAX + " queries");
      return;
    }
    if (!isServed(name)) {
      error(ctx, option, Nbd.REP_ERR_UNKNOWN, "export '" + name + "' is not served here");
      return;
    }
    boolean listing = option == Nbd.OPT_LIST_META_CONTEXT;
    boolean matches = listing && queries == 0;
    for (long i = 0; i < queries; i++) {
      String query = readName(data);
      if (query == null || query.indexOf(':') < 0) {
        error(ctx, option, Nbd.REP_ERR_INVALID, "a query is cut off, or names no namespace");
        return;
      }
      matches |= query.equals(CONTEXT) || (listing && query.equals("base:"));
    }
    if (matches) {
      ByteBuf context = ctx.alloc().buffer();
      context.writeInt(listing ? 0 : CONTEXT_ID).writeCharSequence(CONTEXT, StandardCharsets.UTF_8);
      reply(ctx, option, Nbd.REP_META_CONTEXT, context);
      contextFor = listing ? contextFor : canonical(name);
    }
    reply(ctx, option, Nbd.REP_ACK, new byte[0]);
  }

  private String canonical(String name) {
    return name.isEmpty() ? export.name() : name;
  }

  private static String readName(ByteBuf data) {
    if (data.readableBytes() < 4) {
      return null;
    }
    long length = data.readUnsignedInt();
    if (length > data.readableBytes() || length > Nbd.NAME_BYTES_MAX) {
      return null;
    }
    return data.readCharSequence((int) length, StandardCharsets.UTF_8).toString();
  }

  private int transmissionFlags() {
    return Nbd.HAS_FLAGS
        | Nbd.SEND_FLUSH
        | Nbd.SEND_FUA
        | Nbd.SEND_TRIM
        | Nbd.SEND_WRITE_ZEROES
        | Nbd.CAN_MULTI_CONN
        | Nbd.SEND_CACHE
        | Nbd.SEND_FAST_ZERO
        | (structured ? Nbd.SEND_DF : 0)
        | (export.isReadOnly() ? Nbd.READ_ONLY : 0);
  }

  private void transmit(ChannelHandlerContext ctx, String name) {
    finished = true;
    newcomers.left(this);
    ctx.flush();
    boolean status = contextFor != null && contextFor.equals(canonical(name));
    ctx.pipeline()
        .replace(
            this,
            "transmission",
            new NbdTransmissionHandler(export, meter, structured, status, CONTEXT_ID));
  }

  /** A failed write fails the channel, which closes it. */
  private static void send(ChannelHandlerContext ctx, ByteBuf message) {
    var unused = ctx.write(message, ctx.voidPromise());
  }

  private static void close(ChannelHandlerContext ctx) {
    var unused = ctx.close();
  }

  private static void error(ChannelHandlerContext ctx, int option, int type, String text) {
    reply(ctx, option, type, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void reply(ChannelHandlerContext ctx, int option, int type, byte[] payload) {
    reply(ctx, option, type, ctx.alloc().buffer(payload.length + 1).writeBytes(payload));
  }

  private static void reply(ChannelHandlerContext ctx, int option, int type, ByteBuf payload) {
    ByteBuf header = ctx.alloc().buffer(20);
    header
        .writeLong(Nbd.OPTION_REPLY_MAGIC)
        .writeInt(option)
        .writeInt(type)
        .writeInt(payload.readableBytes());
    send(ctx, header);
    send(ctx, payload);
  }

  private void fatal(ChannelHandlerContext ctx, String reason) {
    finished = true;
    String client = NbdClient.nameOf(ctx.channel());
    STRANGERS.run(
        more -> LOG.warn("NBD client {} {}; the connection is closed{}", client, reason, more));
    close(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fatal(ctx, "failed: " + ConnectionErrors.reason(cause));
  }
}

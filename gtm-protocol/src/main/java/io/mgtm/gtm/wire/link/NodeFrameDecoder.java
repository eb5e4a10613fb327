package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.wire.WireException;
import java.util.UUID;

/** Reads what a node sends. One object serves a connection. */
public final class NodeFrameDecoder extends FrameSplitter {
  /** The least that a reply takes. */
  private static final int REPLY_BYTES_MIN = 1 + Integer.BYTES;

  private final NodeFrameHandler handler;

  /**
   * A decoder at the beginning of a link.
   *
   * @param frameBytesMax the longest frame
   */
  public NodeFrameDecoder(int frameBytesMax, NodeFrameHandler handler) {
    super(frameBytesMax, true);
    this.handler = handler;
  }

  @Override
  void frame(LinkFrameType type, FrameBody in) throws WireException {
    switch (type) {
      case CHALLENGE -> handler.challenge(in.last(in.readBytes(LinkFormat.SECRET_BYTES)));
      case LEADERSHIP -> leadership(in);
      case ATTACHED -> handler.attached(in.readSession(), in.last(in.readNumber("last")));
      case REFUSED -> refused(in);
      case REPLIES -> replies(in);
      case PONG -> handler.pong(in.last(in.readLong()));
      case ADMIN_REPLY -> adminReply(in);
      case PIECE -> handler.piece(in.readLong(), in.readRest());
      case ENTRIES -> handler.entries(in.readEntries());
      default -> throw new IllegalStateException(type + " is a gateway's");
    }
  }

  private void leadership(FrameBody in) throws WireException {
    Leadership leadership =
        new Leadership(
            in.readBoolean(),
            in.readNumber("term"),
            in.readName("member", false),
            in.readName("leader", true),
            in.readText("address", LinkFormat.ADDRESS_CHARS_MAX),
            group(in));
    handler.leadership(in.last(leadership));
  }

  /** Not told to gateways of older versions. */
  private static UUID group(FrameBody in) throws WireException {
    UUID group = in.remaining() == 0 ? LinkFormat.NO_GROUP : new UUID(in.readLong(), in.readLong());
    return group.equals(LinkFormat.NO_GROUP) ? null : group;
  }

  private void refused(FrameBody in) throws WireException {
    long session = in.readLong();
    int code = in.readByte();
    RefusalCode refusal = RefusalCode.ofCode(code);
    if (refusal == null) {
      throw new WireException("REFUSED: unknown code " + code);
    }
    handler.refused(
        session,
        refusal,
        in.readText("message", LinkFormat.TEXT_BYTES_MAX),
        in.last(in.readText("hint", LinkFormat.TEXT_BYTES_MAX)));
  }

  private void replies(FrameBody in) throws WireException {
    long session = in.readSession();
    long first = in.readNumber("first");
    int count = in.readInt();
    if (count < 0 || (long) count * REPLY_BYTES_MIN > in.remaining()) {
      throw new WireException("REPLIES: it counts " + count + " replies");
    }
    for (int i = 0; i < count; i++) {
      reply(session, first + i, in.readByte(), in.readInt(), in);
    }
    in.expectEnd();
    handler.repliesEnd();
  }

  private void reply(long session, long number, int kind, int length, FrameBody in)
      throws WireException {
    if (kind < RepliesWriter.PIECES) {
      handler.reply(session, number, kind == 1, in.readSlice(length));
    } else if (kind == RepliesWriter.PIECES && length == RepliesWriter.PIECES_BYTES) {
      long id = in.readLong();
      long bytes = in.readNumber("length of a reply");
      handler.pieces(session, number, id, bytes);
    } else {
      throw new WireException("REPLIES: a reply of kind " + kind + " and " + length + " bytes");
    }
  }

  private void adminReply(FrameBody in) throws WireException {
    long id = in.readLong();
    int code = in.readByte();
    AdminReplyKind kind = AdminReplyKind.ofCode(code);
    if (kind == null) {
      throw new WireException("ADMIN_REPLY: unknown kind " + code);
    }
    handler.adminReply(id, kind, in.readRest());
  }
}

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
      case CHALLENGE -> {
        byte[] nonce = in.readBytes(LinkFormat.SECRET_BYTES);
        in.expectEnd();
        handler.challenge(nonce);
      }
      case LEADERSHIP -> leadership(in);
      case ATTACHED -> {
        long session = in.readSession();
        long last = in.readNumber("last");
        in.expectEnd();
        handler.attached(session, last);
      }
      case REFUSED -> refused(in);
      case REPLIES -> replies(in);
      case PONG -> {
        long nonce = in.readLong();
        in.expectEnd();
        handler.pong(nonce);
      }
      case ADMIN_REPLY -> adminReply(in);
      case PIECE -> {
        long id = in.readLong();
        handler.piece(id, in.readRest());
      }
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
    in.expectEnd();
    handler.leadership(leadership);
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
    String message = in.readText("message", LinkFormat.TEXT_BYTES_MAX);
    String hint = in.readText("hint", LinkFormat.TEXT_BYTES_MAX);
    in.expectEnd();
    handler.refused(session, refusal, message, hint);
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

package io.mgtm.gtm.command;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * The encoding in which checkpoints keep the replies of a gateway's session: {@code code:u8} and
 * the fields in the order of the record, big-endian, as {@link ReplyType} has them; command types
 * by their code.
 */
public final class ReplyCodec {
  /** What the code and the fields of fixed length take at most. */
  private static final int FIXED_BYTES_MAX = 32;

  private ReplyCodec() {}

  /** A bound for what {@link #encode} writes. */
  public static int sizeMax(Reply reply) {
    return FIXED_BYTES_MAX + kept(reply).variableBytes();
  }

  /**
   * Appends one reply to {@code out}.
   *
   * @throws IllegalArgumentException when it is none that is kept
   */
  public static void encode(Reply reply, ByteBuffer out) {
    Reply.Kept kept = kept(reply);
    out.put(reply.type().code());
    kept.write(out);
  }

  private static Reply.Kept kept(Reply reply) {
    if (reply instanceof Reply.Kept kept) {
      return kept;
    }
    throw new IllegalArgumentException(reply.type() + " is not kept");
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws UnknownCommandException when a value is of a newer version
   * @throws BufferUnderflowException when the bytes end within it
   */
  public static Reply decode(ByteBuffer in) {
    byte code = in.get();
    return FieldReader.known(ReplyType.ofCode(code), "reply code " + code).read(in);
  }
}

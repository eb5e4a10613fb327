package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;

/**
 * One message with its header; or, of a type that is streamed, a run of bytes of messages of that
 * type, which may begin and end inside a message but never inside a header. Who gets a frame
 * releases it or passes it on.
 *
 * <pre>
 * +------+----------------+----------------+
 * | type | length (4)     | body           |   length counts itself and the body
 * +------+----------------+----------------+
 * </pre>
 */
public final class Frame extends DefaultByteBufHolder {
  /** Bytes before the body. */
  public static final int HEADER_BYTES = 5;

  private final byte type;
  private final int ends;

  /**
   * A frame of these bytes.
   *
   * @param ends how many messages end in it; 1 for a whole message
   */
  public Frame(byte type, int ends, ByteBuf bytes) {
    super(bytes);
    this.type = type;
    this.ends = ends;
  }

  /** The type, as in PostgreSQL's table of message formats. */
  public char type() {
    return (char) (type & 0xff);
  }

  /** How many messages end in it. */
  public int ends() {
    return ends;
  }

  /** The body of a whole message, to be read without taking a reference. */
  public ByteBuf body() {
    return content()
        .slice(content().readerIndex() + HEADER_BYTES, content().readableBytes() - HEADER_BYTES);
  }

  @Override
  public Frame replace(ByteBuf content) {
    return new Frame(type, ends, content);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Frame frame
        && frame.type == type
        && frame.ends == ends
        && super.equals(other);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * type + ends) + super.hashCode();
  }

  @Override
  public String toString() {
    return "Frame " + type() + ", " + ends + " ends, " + content();
  }
}

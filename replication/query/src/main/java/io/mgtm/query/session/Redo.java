package io.mgtm.query.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * What an open transaction has done, as the log is to have it: effects, and COPY with its data, and
 * before them the settings by which values are read, where these have changed. Belongs to a
 * session.
 */
final class Redo {
  /** An entry holds one transaction at the least, and something around it. */
  static final int BYTES_MAX = (4 << 20) - (64 << 10);

  static final byte EFFECTS = 0;
  static final byte COPY = 1;
  private static final int BEGIN_BYTES = 1_024;

  private ByteBuf bytes = Unpooled.buffer(BEGIN_BYTES);
  private String settings = "";
  private boolean tooMany;
  private boolean whole = true;

  /** Whether the leader may have locks for it that no other server has. */
  private boolean locking;

  boolean isEmpty() {
    return !tooMany && !bytes.isReadable();
  }

  /**
   * Adds what a statement did.
   *
   * @param by a query that sets what its values are read by
   */
  void add(Effects effects, String by) {
    whole &= effects.isKeptWhole();
    if (tooMany || !effects.isKept()) {
      return;
    }
    set(by);
    bytes.writeByte(EFFECTS);
    effects.writeTo(bytes);
    check();
  }

  /**
   * Adds a COPY.
   *
   * @param data null where they were too many
   */
  void copy(String sql, Charset charset, ByteBuf data, String tag, String by) {
    tooMany |= data == null;
    if (tooMany) {
      check();
      return;
    }
    set(by);
    bytes.writeByte(COPY);
    RedoCodec.text(bytes, charset.name());
    RedoCodec.text(bytes, sql);
    RedoCodec.text(bytes, tag);
    bytes.writeInt(data.readableBytes()).writeBytes(data.duplicate());
    check();
  }

  private void set(String by) {
    if (settings.equals(by)) {
      return;
    }
    settings = by;
    Effects setting = new Effects(StandardCharsets.UTF_8);
    setting.text(Prepared.effect("", by), "SELECT 1");
    bytes.writeByte(EFFECTS);
    setting.writeTo(bytes);
  }

  private void check() {
    if (tooMany || bytes.readableBytes() > BYTES_MAX) {
      tooMany = true;
      bytes = Unpooled.buffer(0);
    }
  }

  /** What there is now, to go back to. */
  int mark() {
    return bytes.readableBytes();
  }

  /** Goes back. What was too much stays so: what was there before is no longer known. */
  void cut(int mark) {
    if (!tooMany) {
      bytes.writerIndex(mark);
      settings = "";
    }
  }

  void clear() {
    if (tooMany || bytes.isReadable()) {
      bytes.clear();
      tooMany = false;
    }
    settings = "";
    whole = true;
    locking = false;
  }

  /** Whether it is all that others were given, with what is about the session. */
  boolean isWhole() {
    return whole && !tooMany;
  }

  /** Whether it was too much for the log. */
  boolean isTooMany() {
    return tooMany;
  }

  /** The leader is about to run something in the transaction. */
  void runs(Segment segment) {
    locking |= segment.mayLock();
  }

  /** Whether the leader may have locks for it that no other server has. */
  boolean isLocking() {
    return locking;
  }

  /** All of it, which nothing changes any more; null where it was too much. */
  ByteBuffer take() {
    ByteBuffer taken = tooMany ? null : bytes.nioBuffer();
    bytes = Unpooled.buffer(BEGIN_BYTES);
    tooMany = false;
    settings = "";
    whole = true;
    return taken;
  }
}

package io.mgtm.group;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The bytes of a state, from its beginning to its end, in pieces that may be cut anywhere: {@link
 * #get} gives the next one, or null at the end. One thread at a time.
 */
public final class Pieces implements Supplier<ByteBuffer> {
  /** What stands before a state is small; a damaged one must not make us keep everything. */
  private static final int HEAD_BYTES_MAX = 16 << 20;

  private final Supplier<ByteBuffer> source;
  private ByteBuffer ahead;

  /**
   * Pieces of a source.
   *
   * @param source gives the next piece, or null at the end
   */
  public Pieces(Supplier<ByteBuffer> source) {
    this.source = source;
  }

  /** All bytes as one piece. */
  public static Pieces of(ByteBuffer whole) {
    ByteBuffer[] left = {whole.duplicate()};
    return new Pieces(
        () -> {
          ByteBuffer next = left[0];
          left[0] = null;
          return next;
        });
  }

  /**
   * Reads what stands at the beginning, however it is cut.
   *
   * @param read called again with more bytes as long as it throws BufferUnderflowException
   * @throws BufferUnderflowException when the bytes end too early
   */
  public void head(Consumer<ByteBuffer> read) {
    ByteBuffer head = get();
    while (head != null) {
      try {
        ByteBuffer from = head.duplicate();
        read.accept(from);
        ahead = from.slice();
        return;
      } catch (BufferUnderflowException e) {
        ByteBuffer more = head.remaining() > HEAD_BYTES_MAX ? null : get();
        if (more == null) {
          throw e;
        }
        head = ByteBuffer.allocate(head.remaining() + more.remaining()).put(head).put(more).flip();
      }
    }
    throw new BufferUnderflowException();
  }

  @Override
  public ByteBuffer get() {
    ByteBuffer next = ahead;
    ahead = null;
    return next == null ? source.get() : next;
  }

  /** Hands all that is left to {@code to}. */
  public void forEach(Consumer<ByteBuffer> to) {
    for (ByteBuffer next = get(); next != null; next = get()) {
      to.accept(next);
    }
  }

  /** All that is left, for states that are known to be small. */
  public ByteBuffer rest() {
    return ByteBuffer.wrap(((StatePicture) this::forEach).bytes());
  }
}

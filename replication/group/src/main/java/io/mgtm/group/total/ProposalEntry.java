package io.mgtm.group.total;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * A proposal as it stands in the log.
 *
 * <pre>
 * | version:u8=129 | origin (as in {@link Membership}) | incarnation:i64 | number:i64 | payload |
 * </pre>
 *
 * @param payload empty in a probe, which only takes a place
 */
public record ProposalEntry(MemberId origin, long incarnation, long number, ByteBuffer payload) {
  /** What each begins with, and no entry of another mode. */
  public static final byte VERSION = (byte) 129;

  /** The most that stands before the payload. */
  static final int HEADER_BYTES_MAX = 1 + 17 + Membership.NAME_BYTES_MAX + 16;

  ByteBuffer encoded() {
    ByteBuffer to = ByteBuffer.allocate(HEADER_BYTES_MAX + payload.remaining());
    to.put(VERSION);
    Membership.encode(origin, to);
    to.putLong(incarnation).putLong(number).put(payload.duplicate());
    return to.flip();
  }

  /**
   * Reads an entry; the payload is a view of the buffer.
   *
   * @throws LogException with FORMAT when it is none of this version
   */
  public static ProposalEntry decode(ByteBuffer stored) {
    ByteBuffer from = stored.duplicate();
    try {
      if (from.get() != VERSION) {
        throw new LogException(
            Category.FORMAT,
            "The log's entries were written in another mode than total, or by a newer version; start the member in the mode of its group");
      }
      MemberId origin = Membership.decodeMember(from);
      return new ProposalEntry(origin, from.getLong(), from.getLong(), from.slice());
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw LogException.damaged("An entry of the log is no proposal", e);
    }
  }
}

package io.mgtm.group.net;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.Message;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Messages of the order of mode total as bytes, big-endian. The first byte tells them from the
 * others.
 *
 * <pre>
 * | mark:u8=129 | type:u8 | sender (as in {@link Membership}) | incarnation:i64 | number:i64 |
 * proposals, type 1: then | count:i32 | count times: bytes:i32, payload |
 * </pre>
 */
final class OrderCodec {
  private static final byte MARK = (byte) 129;
  private static final byte PROPOSALS = 1;
  private static final byte EXPECT = 2;
  private static final int HEADER_BYTES_MAX = 2 + 17 + Membership.NAME_BYTES_MAX + 16 + 4;

  private OrderCodec() {}

  static boolean isOne(ByteBuffer message) {
    return message.hasRemaining() && message.get(message.position()) == MARK;
  }

  static byte[] encode(MemberId from, Message.OfOrder message) {
    int payloadBytes = 0;
    if (message instanceof Message.Proposals m) {
      for (ByteBuffer payload : m.payloads()) {
        payloadBytes = Math.addExact(payloadBytes, 4 + payload.remaining());
      }
    }
    ByteBuffer to = ByteBuffer.allocate(HEADER_BYTES_MAX + payloadBytes);
    to.put(MARK).put(message instanceof Message.Proposals ? PROPOSALS : EXPECT);
    Membership.encode(from, to);
    if (message instanceof Message.Proposals m) {
      to.putLong(m.incarnation()).putLong(m.first()).putInt(m.payloads().size());
      for (ByteBuffer payload : m.payloads()) {
        to.putInt(payload.remaining()).put(payload.duplicate());
      }
    } else if (message instanceof Message.Expect m) {
      to.putLong(m.incarnation()).putLong(m.next());
    }
    return Arrays.copyOf(to.array(), to.position());
  }

  /**
   * Reads a message; payloads are views of the buffer.
   *
   * @throws IllegalArgumentException when it is none of this version
   */
  static MessageCodec.Envelope decode(ByteBuffer from) {
    try {
      if (from.get() != MARK) {
        throw new IllegalArgumentException("a message of another kind");
      }
      byte type = from.get();
      MemberId sender = Membership.decodeMember(from);
      long incarnation = from.getLong();
      long number = from.getLong();
      return new MessageCodec.Envelope(
          sender,
          switch (type) {
            case PROPOSALS -> new Message.Proposals(incarnation, number, payloads(from));
            case EXPECT -> new Message.Expect(incarnation, number);
            default -> throw new IllegalArgumentException("a proposal message of type " + type);
          });
    } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("a message that is cut off", e);
    }
  }

  private static List<ByteBuffer> payloads(ByteBuffer from) {
    int count = from.getInt();
    if (count < 1 || count > from.remaining() / 4) {
      throw new IllegalArgumentException(
          "a message that says it has %d proposals".formatted(count));
    }
    List<ByteBuffer> payloads = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int bytes = from.getInt();
      if (bytes > Message.Proposals.PAYLOAD_BYTES_MAX) {
        throw new IllegalArgumentException("a proposal of %d bytes".formatted(bytes));
      }
      payloads.add(from.slice(from.position(), bytes));
      from.position(from.position() + bytes);
    }
    return payloads;
  }
}

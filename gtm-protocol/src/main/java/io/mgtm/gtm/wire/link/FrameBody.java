package io.mgtm.gtm.wire.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Reads the fields of one frame, and not beyond it. One object serves a connection. */
final class FrameBody {
  private ByteBuf in;
  private int position;
  private int end;
  private LinkFrameType type;

  void wrap(ByteBuf buffer, int from, int to, LinkFrameType of) {
    in = buffer;
    position = from;
    end = to;
    type = of;
  }

  int take(int bytes) throws WireException {
    int at = position;
    if (bytes < 0 || bytes > end - at) {
      throw new WireException(type + ": it ends too early");
    }
    position = at + bytes;
    return at;
  }

  int remaining() {
    return end - position;
  }

  int readByte() throws WireException {
    return in.getUnsignedByte(take(1));
  }

  boolean readBoolean() throws WireException {
    int value = readByte();
    if (value > 1) {
      throw new WireException(type + ": " + value + " is neither true nor false");
    }
    return value == 1;
  }

  short readShort() throws WireException {
    return in.getShort(take(Short.BYTES));
  }

  int readInt() throws WireException {
    return in.getInt(take(Integer.BYTES));
  }

  long readLong() throws WireException {
    return in.getLong(take(Long.BYTES));
  }

  /** A number of a command, or 0. */
  long readNumber(String what) throws WireException {
    long number = readLong();
    if (number < 0) {
      throw new WireException(type + ": " + what + " is " + number);
    }
    return number;
  }

  long readSession() throws WireException {
    long session = readLong();
    if (!LinkFormat.isGatewaySession(session)) {
      throw new WireException(type + ": " + session + " is no id of a session");
    }
    return session;
  }

  byte[] readBytes(int length) throws WireException {
    byte[] bytes = new byte[requireLeft(length)];
    in.getBytes(take(length), bytes);
    return bytes;
  }

  private int requireLeft(int length) throws WireException {
    if (length < 0 || length > remaining()) {
      throw new WireException(type + ": it ends too early");
    }
    return length;
  }

  String readText(String what, int bytesMax) throws WireException {
    int length = Short.toUnsignedInt(readShort());
    if (length > bytesMax) {
      throw new WireException(
          "%s: its %s takes %d bytes, allowed are %d".formatted(type, what, length, bytesMax));
    }
    return in.toString(take(length), length, UTF_8);
  }

  String readName(String what, boolean mayBeEmpty) throws WireException {
    String name = readText(what, LinkFormat.NAME_CHARS_MAX);
    if (!LinkFormat.isName(name) && !(mayBeEmpty && name.isEmpty())) {
      throw new WireException(
          type + ": its " + what + " is no name; allowed are letters, digits, and . _ -");
    }
    return name;
  }

  /** What {@link LinkEntries} says. */
  LinkEntries readEntries() throws WireException {
    long term = readNumber("term");
    long first = readNumber("first");
    long stable = readNumber("stable");
    int count = readInt();
    if (count < 0 || (long) count * LinkEntries.ENTRY_BYTES_MIN > remaining()) {
      throw new WireException(type + ": it counts " + count + " entries");
    }
    if (first < 1 || stable < 0 || first > Long.MAX_VALUE - count) {
      throw new WireException(type + ": it begins with entry " + first);
    }
    List<byte[]> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(readBytes(readInt()));
    }
    expectEnd();
    return new LinkEntries(term, first, stable, entries);
  }

  /** The rest as a view. */
  ByteBuf readRest() throws WireException {
    int length = remaining();
    return in.slice(take(length), length);
  }

  ByteBuf readSlice(int length) throws WireException {
    return in.slice(take(length), length);
  }

  /** The last field, which was just read: nothing is left behind it. */
  <T> T last(T field) throws WireException {
    expectEnd();
    return field;
  }

  void expectEnd() throws WireException {
    if (position != end) {
      throw new WireException(type + ": " + remaining() + " bytes too many");
    }
  }
}

package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Reads and cuts rows and their descriptions. Pure. */
public final class Rows {
  /** Of a column's description after its name: table, number, type, length, modifier, format. */
  private static final int COLUMN_BYTES = 18;

  private static final int TYPE_AT = 6;
  private static final int MODIFIER_AT = 12;

  /** The lowest number of what users make: FirstNormalObjectId of transam.h. */
  private static final int FIRST_OF_USERS = 16_384;

  /** A row without a name, and an array of such; of pg_type.dat. */
  private static final int RECORD = 2_249;

  private static final int RECORDS = 2_287;

  private Rows() {}

  /**
   * The values of a DataRow, as views of its body; null stands for NULL.
   *
   * @throws WireException when it is none
   */
  public static List<ByteBuf> values(ByteBuf body) {
    int count = body.readUnsignedShort();
    List<ByteBuf> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int bytes = body.readInt();
      if (bytes > body.readableBytes()) {
        throw new WireException(WireException.PROTOCOL_VIOLATION, "a row without its end");
      }
      values.add(bytes < 0 ? null : body.readSlice(bytes));
    }
    return values;
  }

  /** The values of a DataRow as texts in UTF-8; null stands for NULL. */
  public static List<String> texts(ByteBuf body) {
    return texts(body, StandardCharsets.UTF_8);
  }

  /** The values of a DataRow as texts; null stands for NULL. */
  public static List<String> texts(ByteBuf body, Charset charset) {
    List<String> texts = new ArrayList<>();
    for (ByteBuf value : values(body)) {
      texts.add(value == null ? null : value.toString(charset));
    }
    return texts;
  }

  /**
   * What makes rows of a RowDescription ones of another kind where it differs: names, types and
   * modifiers. The numbers of types of users are each server's own.
   *
   * @param without how many of the last columns do not count
   */
  public static String columns(ByteBuf body, int without) {
    StringBuilder columns = new StringBuilder();
    for (int left = body.readUnsignedShort() - without; left > 0; left--) {
      columns.append(StartupPacket.text(body));
      long type = body.getUnsignedInt(body.readerIndex() + TYPE_AT);
      columns.append('\0').append(Math.min(type, FIRST_OF_USERS));
      columns.append(' ').append(body.getInt(body.readerIndex() + MODIFIER_AT)).append('\0');
      body.skipBytes(COLUMN_BYTES);
    }
    return columns.toString();
  }

  /**
   * The columns of a RowDescription in whose values, where they are binary, numbers of users' types
   * may stand, as in rows and arrays; such numbers are each server's own.
   */
  public static BitSet typed(ByteBuf body) {
    BitSet typed = new BitSet();
    int count = body.readUnsignedShort();
    for (int i = 0; i < count; i++) {
      StartupPacket.text(body);
      long type = body.getUnsignedInt(body.readerIndex() + TYPE_AT);
      typed.set(i, type >= FIRST_OF_USERS || type == RECORD || type == RECORDS);
      body.skipBytes(COLUMN_BYTES);
    }
    return typed;
  }

  /** A RowDescription or DataRow without its last columns. */
  public static ByteBuf withoutLast(ByteBufAllocator allocator, Frame frame, int columns) {
    ByteBuf body = frame.body();
    int kept = body.readUnsignedShort() - columns;
    int from = body.readerIndex();
    for (int i = 0; i < kept; i++) {
      if (frame.type() == 'T') {
        body.skipBytes(body.bytesBefore((byte) 0) + 1 + COLUMN_BYTES);
      } else {
        body.skipBytes(Math.max(0, body.readInt()));
      }
    }
    int bytes = body.readerIndex() - from;
    return allocator
        .buffer(Frame.HEADER_BYTES + Short.BYTES + bytes)
        .writeByte(frame.type())
        .writeInt(Integer.BYTES + Short.BYTES + bytes)
        .writeShort(kept)
        .writeBytes(body, from, bytes);
  }

  /** Parameters of a Bind after its names: each with its format, no formats of results. */
  public static ByteBuf parameters(int[] formats, List<ByteBuf> values) {
    ByteBuf out = Unpooled.buffer();
    out.writeShort(formats.length);
    for (int format : formats) {
      out.writeShort(format);
    }
    out.writeShort(values.size());
    for (ByteBuf value : values) {
      if (value == null) {
        out.writeInt(-1);
      } else {
        out.writeInt(value.readableBytes());
        out.writeBytes(value, value.readerIndex(), value.readableBytes());
      }
    }
    return out.writeShort(0);
  }
}

package io.mgtm.query.session;

import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/**
 * One message of the extended protocol that a client sent.
 *
 * @param prepared the statement that it is about, or null
 * @param name of the portal, or of the statement where there is no portal
 */
record Step(Frame frame, Prepared prepared, String name) {
  char type() {
    return frame.type();
  }

  boolean isOfPortal() {
    return type() == 'E'
        || type() == 'B'
        || (frame.body().isReadable()
            && frame.body().getByte(frame.body().readerIndex()) == 'P'
            && type() != 'P');
  }

  /** The rows that it makes its statement return, and that are not the client's. */
  RowWrite rows() {
    return prepared == null ? null : prepared.rows();
  }

  /** Of a Bind, what follows the names. */
  ByteBuf afterNames() {
    ByteBuf body = frame.body();
    StartupPacket.text(body);
    StartupPacket.text(body);
    return body;
  }

  /** Of a Bind, the formats of results. */
  static int[] resultFormats(ByteBuf afterNames) {
    ByteBuf in = afterNames.duplicate();
    in.skipBytes(Short.BYTES * in.readUnsignedShort());
    int count = in.readUnsignedShort();
    for (int i = 0; i < count; i++) {
      in.skipBytes(Math.max(0, in.readInt()));
    }
    int[] formats = new int[in.readUnsignedShort()];
    for (int i = 0; i < formats.length; i++) {
      formats[i] = in.readUnsignedShort();
    }
    return formats;
  }

  /** Of a Bind, its parameters as texts in the client's encoding; null for NULL. */
  List<String> texts(Charset charset) {
    ByteBuf in = afterNames().duplicate();
    in.skipBytes(Short.BYTES * in.readUnsignedShort());
    List<String> texts = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      int bytes = in.readInt();
      texts.add(bytes < 0 ? null : in.readCharSequence(bytes, charset).toString());
    }
    return texts;
  }

  void release() {
    ReferenceCountUtil.release(frame);
  }
}

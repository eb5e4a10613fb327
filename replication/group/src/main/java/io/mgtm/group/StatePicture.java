package io.mgtm.group;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** A whole state as it was at one moment; what is applied afterwards does not show in it. */
public interface StatePicture {

  /**
   * Writes it in its versioned encoding, piece by piece. Any thread, while the owner goes on.
   *
   * @param pieces gets them in order; each is valid during the call only
   */
  void writeTo(Consumer<ByteBuffer> pieces);

  /** A picture that is encoded already. */
  static StatePicture of(byte[] encoded) {
    return pieces -> pieces.accept(ByteBuffer.wrap(encoded));
  }

  /** Its whole encoding, for states that are known to be small. */
  default byte[] bytes() {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    writeTo(
        piece -> {
          byte[] bytes = new byte[piece.remaining()];
          piece.get(bytes);
          whole.writeBytes(bytes);
        });
    return whole.toByteArray();
  }
}

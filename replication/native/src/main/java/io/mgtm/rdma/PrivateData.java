package io.mgtm.rdma;

import io.mgtm.jni.Errno;
import java.util.Arrays;

/** What each side gives the other when a connection is made: a byte that tells the length, data. */
public final class PrivateData {
  /** The most, in bytes; devices carry 56, one of which tells the length. */
  public static final int BYTES_MAX = 55;

  private PrivateData() {}

  static byte[] encode(byte[] data) {
    if (data.length > BYTES_MAX) {
      throw new IllegalArgumentException(
          data.length + " bytes of private data are more than " + BYTES_MAX);
    }
    byte[] encoded = new byte[1 + data.length];
    encoded[0] = (byte) data.length;
    System.arraycopy(data, 0, encoded, 1, data.length);
    return encoded;
  }

  /** What {@code peer} gave, of which {@code length} bytes came. */
  static byte[] decode(byte[] encoded, int length, String peer) throws RdmaException {
    if (length == 0) {
      return new byte[0];
    }
    int told = encoded[0] & 0xff;
    if (told > length - 1) {
      throw new RdmaException("reading the private data of " + peer, Errno.EINVAL.code());
    }
    return Arrays.copyOfRange(encoded, 1, 1 + told);
  }
}

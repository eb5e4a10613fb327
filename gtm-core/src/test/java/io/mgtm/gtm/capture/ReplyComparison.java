package io.mgtm.gtm.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Whether an answer says the same as the original's. The GTM starts at the gxid that the recorded
 * one started at, so gxids are compared as they are; timestamps, and the words of an error, are not
 * compared.
 */
final class ReplyComparison {
  private static final int TXN_BEGIN_GETGXID = 9;
  private static final int TXN_BEGIN_GETGXID_MULTI = 10;

  private ReplyComparison() {}

  static boolean same(byte[] original, byte[] ours, boolean proxied) {
    if (original[0] == 'E' && severity(original, proxied).startsWith("SERROR2")) {
      return saysUnknownTransaction(ours);
    }
    if (original[0] == 'E') {
      return ours[0] == 'E' && severity(ours, proxied).startsWith("SERROR");
    }
    return Arrays.equals(withoutTime(original), withoutTime(ours));
  }

  private static String severity(byte[] error, boolean proxied) {
    int at = proxied ? 7 : 5;
    return new String(error, at, error.length - at, StandardCharsets.ISO_8859_1);
  }

  /** The GTM's status for an unknown transaction, of which its proxy makes an error of its own. */
  private static boolean saysUnknownTransaction(byte[] ours) {
    return ours[0] == 'S' && ByteBuffer.wrap(ours).getInt(ours.length - Integer.BYTES) == -1;
  }

  private static byte[] withoutTime(byte[] reply) {
    byte[] masked = reply.clone();
    if (reply[0] == 'S') {
      int type = ByteBuffer.wrap(reply).getInt(5);
      if (type == TXN_BEGIN_GETGXID || type == TXN_BEGIN_GETGXID_MULTI) {
        Arrays.fill(masked, masked.length - Long.BYTES, masked.length, (byte) 0);
      }
    }
    return masked;
  }
}

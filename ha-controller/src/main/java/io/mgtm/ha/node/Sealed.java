package io.mgtm.ha.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Messages between nodes that nobody without the cluster's secret can make or change.
 *
 * <pre>
 * "MGHA" | kind (1 byte) | HMAC-SHA-256 of cluster, kind and payload (32 bytes) | payload (JSON)
 * </pre>
 *
 * They are not encrypted, and a copy of one passes again: their numbers tell the core which are
 * old. Owner thread.
 */
final class Sealed {
  static final byte HEARTBEAT = 1;
  static final byte GRANT = 2;

  private static final byte[] MAGIC = "MGHA".getBytes(UTF_8);
  private static final int TAG_BYTES = 32;
  private static final int HEAD_BYTES = MAGIC.length + 1 + TAG_BYTES;
  private static final String MAC = "HmacSHA256";

  /** A message that was sealed by somebody who has the secret. */
  record Message(byte kind, ByteBuffer payload) {}

  private final byte[] cluster;
  private final Mac mac;

  Sealed(String cluster, String secret) {
    this.cluster = cluster.getBytes(UTF_8);
    try {
      mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(("mgtm ha paths " + secret).getBytes(UTF_8), MAC));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no " + MAC, e);
    }
  }

  byte[] seal(byte kind, byte[] payload) {
    ByteBuffer all = ByteBuffer.allocate(HEAD_BYTES + payload.length);
    all.put(MAGIC).put(kind).put(tag(kind, payload)).put(payload);
    return all.array();
  }

  /** What a datagram carries; empty when it was not sealed with this cluster's secret. */
  Optional<Message> open(byte[] datagram) {
    if (datagram.length < HEAD_BYTES
        || !Arrays.equals(datagram, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return Optional.empty();
    }
    byte kind = datagram[MAGIC.length];
    byte[] tag = Arrays.copyOfRange(datagram, MAGIC.length + 1, HEAD_BYTES);
    byte[] payload = Arrays.copyOfRange(datagram, HEAD_BYTES, datagram.length);
    return MessageDigest.isEqual(tag, tag(kind, payload))
        ? Optional.of(new Message(kind, ByteBuffer.wrap(payload)))
        : Optional.empty();
  }

  private byte[] tag(byte kind, byte[] payload) {
    mac.update((byte) cluster.length);
    mac.update(cluster);
    mac.update(kind);
    return mac.doFinal(payload);
  }
}

package io.mgtm.block.link;

import io.mgtm.block.wire.LinkKey;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * How the two ends of a connection prove to each other that they hold the volume's key, before
 * either tells anything else. The target, which anybody may dial, learns nothing of a source and
 * tells nothing but a random number and a proof over the source's own.
 *
 * <pre>
 * source → target  AUTH  source's random number 32
 * target → source  AUTH  target's random number 32 | proof 32
 * source → target  AUTH  proof 32
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class Authentication {
  static final int NONCE_BYTES = 32;
  static final int PAYLOAD_BYTES_MAX = NONCE_BYTES + LinkKey.PROOF_BYTES;

  private final LinkKey key;
  private final boolean dialling;
  private final byte[] own;
  private byte[] others;
  private boolean done;

  /**
   * One end.
   *
   * @param key the key, or null when nothing is to be proved
   * @param nonce this end's random number, never used before
   */
  Authentication(LinkKey key, boolean dialling, byte[] nonce) {
    this.key = key;
    this.dialling = dialling;
    this.own = nonce;
    done = key == null;
  }

  /** Whether the other end has proved what it must. */
  boolean isDone() {
    return done;
  }

  /** The dialling end's first payload. */
  byte[] begin() {
    return own;
  }

  /**
   * Takes the other end's payload; answers this end's, or null when there is none to send.
   *
   * @throws LinkException when the other end has another key, or none is wanted
   */
  byte[] take(byte[] payload) throws LinkException {
    if (key == null) {
      throw new LinkException(
          "the side that dials has a link key, and the side that is dialled has none; give both the"
              + " same key by --link-key FILE, or neither");
    }
    if (done) {
      throw new LinkException("the key was proved already");
    }
    if (dialling) {
      check(payload.length == PAYLOAD_BYTES_MAX);
      others = Arrays.copyOf(payload, NONCE_BYTES);
      byte[] proof = Arrays.copyOfRange(payload, NONCE_BYTES, payload.length);
      check(MessageDigest.isEqual(proof, key.proof("target", own, others)));
      done = true;
      return key.proof("source", own, others);
    }
    if (others == null) {
      check(payload.length == NONCE_BYTES);
      others = payload;
      byte[] answer = Arrays.copyOf(own, PAYLOAD_BYTES_MAX);
      byte[] proof = key.proof("target", others, own);
      System.arraycopy(proof, 0, answer, NONCE_BYTES, proof.length);
      return answer;
    }
    check(MessageDigest.isEqual(payload, key.proof("source", others, own)));
    done = true;
    return null;
  }

  private static void check(boolean holds) throws LinkException {
    if (!holds) {
      throw new LinkException("the two sides do not have the same link key");
    }
  }
}

package io.mgtm.query.fleet;

import io.mgtm.common.Hmac;
import io.mgtm.query.wire.StartupPacket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * A secret of one tenure, by which a member proves to the one that serves that it is of the group.
 * It is drawn by the one that serves and told to the others by the log, so that who can forge a
 * proof could as well be a member. Any thread.
 *
 * @param text of hexadecimal digits; empty for none
 */
public record ForwardKey(String text) {
  /** Of who does not serve. */
  public static final ForwardKey NONE = new ForwardKey("");

  /** How long a challenge is. */
  public static final int CHALLENGE_BYTES = 16;

  private static final int KEY_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final HexFormat HEX = HexFormat.of();

  /** A new one. */
  public static ForwardKey draw() {
    return new ForwardKey(HEX.formatHex(random(KEY_BYTES)));
  }

  /** What a proof is asked for with; no two connections have the same, so that none is repeated. */
  public static byte[] challenge() {
    return random(CHALLENGE_BYTES);
  }

  private static byte[] random(int count) {
    byte[] bytes = new byte[count];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** Proves a claim to who has sent this challenge. */
  public String proof(byte[] challenge, StartupPacket.Forward claim) {
    InetAddress client = claim.client();
    String all =
        String.join(
            " ",
            HEX.formatHex(challenge),
            claim.member(),
            client == null ? "" : HEX.formatHex(client.getAddress()));
    return Hmac.hex(text, all);
  }

  /** Whether a proof is the one of this claim. */
  public boolean isProof(String proof, byte[] challenge, StartupPacket.Forward claim) {
    return MessageDigest.isEqual(bytes(proof), bytes(proof(challenge, claim)));
  }

  private static byte[] bytes(String of) {
    return of.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return "ForwardKey";
  }
}

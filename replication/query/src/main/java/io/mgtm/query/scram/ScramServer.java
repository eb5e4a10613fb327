package io.mgtm.query.scram;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;

/**
 * A server's half of one exchange. {@link #first} and {@link #last} are called once each, in this
 * order, by one thread; after {@link #last} has returned the client is known.
 */
public final class ScramServer {
  private static final byte[] MOCK_SECRET = new byte[Scram.KEY_BYTES];

  static {
    new SecureRandom().nextBytes(MOCK_SECRET);
  }

  private final ScramVerifier verifier;
  private final boolean known;
  private final String nonceOfServer;
  private String gs2Header;
  private byte[] binding;
  private String clientFirstBare;
  private String serverFirst;
  private String nonce;
  private ScramKeys keys;

  /**
   * An exchange.
   *
   * @param verifier of the role; when there is none the exchange runs to its end and is refused
   */
  public ScramServer(String user, Optional<ScramVerifier> verifier) {
    this(user, verifier, Scram.nonce());
  }

  ScramServer(String user, Optional<ScramVerifier> verifier, String nonceOfServer) {
    this.verifier = verifier.orElseGet(() -> ScramVerifier.mock(MOCK_SECRET, user));
    this.known = verifier.isPresent();
    this.nonceOfServer = nonceOfServer;
  }

  /**
   * Takes client-first-message; returns server-first-message.
   *
   * @param bound the data of tls-server-end-point when the client chose the mechanism with channel
   *     binding, else empty
   * @param offered whether that mechanism was offered
   * @throws ScramException when it is malformed, or somebody took the mechanism from the offer
   */
  public String first(String message, byte[] bound, boolean offered) throws ScramException {
    String[] parts = message.split(",", -1);
    String flag = parts[0];
    boolean plus = bound.length > 0;
    if (plus != flag.equals("p=tls-server-end-point")) {
      throw Scram.malformed("the channel binding does not fit the chosen SASL mechanism");
    }
    if (!plus && flag.equals("y") && offered) {
      throw Scram.refused("SCRAM channel binding negotiation error");
    }
    if (!plus && !flag.equals("n") && !flag.equals("y")) {
      throw Scram.malformed("malformed SCRAM message: unexpected channel binding flag");
    }
    if (parts.length < 4 || !parts[1].isEmpty()) {
      throw Scram.malformed("client uses authorization identity, but it is not supported");
    }
    Scram.attribute(parts, 2, 'n');
    String nonceOfClient = Scram.attribute(parts, 3, 'r');
    if (nonceOfClient.isEmpty() || !nonceOfClient.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw Scram.malformed("malformed SCRAM message: non-printable characters in the nonce");
    }
    gs2Header = flag + ",,";
    binding = bound.clone();
    clientFirstBare = message.substring(gs2Header.length());
    nonce = nonceOfClient + nonceOfServer;
    serverFirst =
        "r=" + nonce + ",s=" + Scram.base64(verifier.salt()) + ",i=" + verifier.iterations();
    return serverFirst;
  }

  /**
   * Takes client-final-message; returns server-final-message.
   *
   * @throws ScramException REFUSED when the proof is wrong, or there is no such role
   */
  public String last(String message) throws ScramException {
    int beforeProof = message.lastIndexOf(",p=");
    String[] parts = message.split(",", -1);
    byte[] channel = Scram.unbase64(Scram.attribute(parts, 0, 'c'));
    byte[] header = gs2Header.getBytes(StandardCharsets.US_ASCII);
    byte[] expected = Arrays.copyOf(header, header.length + binding.length);
    System.arraycopy(binding, 0, expected, header.length, binding.length);
    if (!MessageDigest.isEqual(channel, expected)) {
      throw Scram.refused("SCRAM channel binding check failed");
    }
    if (!Scram.attribute(parts, 1, 'r').equals(nonce)) {
      throw Scram.malformed("invalid SCRAM response: the nonce does not match");
    }
    byte[] proof = Scram.unbase64(Scram.attribute(parts, parts.length - 1, 'p'));
    if (proof.length != Scram.KEY_BYTES) {
      throw Scram.malformed("malformed SCRAM message: malformed proof");
    }
    String authMessage =
        clientFirstBare + "," + serverFirst + "," + message.substring(0, beforeProof);
    byte[] clientKey = Scram.xor(proof, Scram.hmac(verifier.storedKey(), authMessage));
    boolean right = MessageDigest.isEqual(Scram.hash(clientKey), verifier.storedKey());
    if (!right || !known) {
      throw Scram.refused("the proof is wrong");
    }
    keys = new ScramKeys(verifier, clientKey);
    return "v=" + Scram.base64(Scram.hmac(verifier.serverKey(), authMessage));
  }

  /** With these the servers are entered as the client; after {@link #last}. */
  public ScramKeys keys() {
    return keys;
  }
}

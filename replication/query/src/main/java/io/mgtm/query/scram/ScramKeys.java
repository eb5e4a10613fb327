package io.mgtm.query.scram;

import java.security.MessageDigest;

/**
 * What a client's proof gives away to who has the verifier: enough to enter a server that has the
 * same verifier, and not the password. Kept for the life of a session only.
 */
public final class ScramKeys {
  private final ScramVerifier verifier;
  private final byte[] clientKey;

  ScramKeys(ScramVerifier verifier, byte[] clientKey) {
    this.verifier = verifier;
    this.clientKey = clientKey;
  }

  /**
   * The keys that follow from a password.
   *
   * @param salt of the server's verifier
   */
  static ScramKeys ofPassword(String password, byte[] salt, int iterations) {
    byte[] salted = Scram.saltedPassword(password, salt, iterations);
    byte[] clientKey = Scram.hmac(salted, "Client Key");
    return new ScramKeys(
        new ScramVerifier(
            iterations, salt, Scram.hash(clientKey), Scram.hmac(salted, "Server Key")),
        clientKey);
  }

  byte[] proof(String authMessage) {
    return Scram.xor(clientKey, Scram.hmac(verifier.storedKey(), authMessage));
  }

  boolean isSignature(byte[] signature, String authMessage) {
    return MessageDigest.isEqual(signature, Scram.hmac(verifier.serverKey(), authMessage));
  }

  boolean areOf(byte[] salt, int iterations) {
    return MessageDigest.isEqual(salt, verifier.salt()) && iterations == verifier.iterations();
  }
}

package io.mgtm.query.scram;

/**
 * A client's half of one exchange, without channel binding: with the keys that another exchange
 * gave, or with a password. Called by one thread, in the order of the methods.
 */
public final class ScramClient {
  /** A bound on the work that a server may ask for. */
  private static final int ITERATIONS_MAX = 10_000_000;

  private final ScramPassword password;
  private final String nonceOfClient;
  private ScramKeys keys;
  private String authMessage;

  private ScramClient(ScramKeys keys, ScramPassword password, String nonceOfClient) {
    this.keys = keys;
    this.password = password;
    this.nonceOfClient = nonceOfClient;
  }

  public static ScramClient withKeys(ScramKeys keys) {
    return new ScramClient(keys, null, Scram.nonce());
  }

  static ScramClient withPassword(ScramPassword password) {
    return new ScramClient(null, password, Scram.nonce());
  }

  static ScramClient withPassword(String password, String nonceOfClient) {
    return new ScramClient(null, new ScramPassword(password), nonceOfClient);
  }

  /** client-first-message. PostgreSQL takes the user from the startup packet, not from here. */
  public String first() {
    return "n,," + firstBare();
  }

  private String firstBare() {
    return "n=,r=" + nonceOfClient;
  }

  /**
   * Takes server-first-message; returns client-final-message.
   *
   * @throws ScramException when it is malformed, or the server's verifier is not that of the keys
   */
  public String answer(String serverFirst) throws ScramException {
    String[] parts = serverFirst.split(",", -1);
    String nonce = Scram.attribute(parts, 0, 'r');
    byte[] salt = Scram.unbase64(Scram.attribute(parts, 1, 's'));
    int iterations;
    try {
      iterations = Integer.parseInt(Scram.attribute(parts, 2, 'i'));
    } catch (NumberFormatException e) {
      throw Scram.malformed("malformed SCRAM message: invalid iteration count");
    }
    if (!nonce.startsWith(nonceOfClient) || nonce.length() == nonceOfClient.length()) {
      throw Scram.malformed("invalid SCRAM response: the nonce does not match");
    }
    if (iterations < 1 || iterations > ITERATIONS_MAX || salt.length == 0) {
      throw Scram.malformed("malformed SCRAM message: invalid iteration count or salt");
    }
    if (keys == null) {
      keys = password.keys(salt, iterations);
    } else if (!keys.areOf(salt, iterations)) {
      throw Scram.refused("the verifier of the role's password is another on this server");
    }
    String withoutProof = "c=biws,r=" + nonce;
    authMessage = firstBare() + "," + serverFirst + "," + withoutProof;
    return withoutProof + ",p=" + Scram.base64(keys.proof(authMessage));
  }

  /**
   * Takes server-final-message.
   *
   * @throws ScramException when the server does not know the verifier
   */
  public void verify(String serverFinal) throws ScramException {
    if (authMessage == null
        || !keys.isSignature(
            Scram.unbase64(Scram.attribute(serverFinal.split(",", -1), 0, 'v')), authMessage)) {
      throw Scram.refused("the server's signature is wrong");
    }
  }
}

package io.mgtm.query.scram;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What PostgreSQL keeps of a role's password in {@code pg_authid.rolpassword}: {@code
 * SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey}.
 */
public final class ScramVerifier {
  private static final Pattern TEXT =
      Pattern.compile("SCRAM-SHA-256\\$(\\d{1,9}):([^$:]+)\\$([^$:]+):([^$:]+)");
  private static final int MOCK_ITERATIONS = 4_096;
  private static final int SALT_BYTES = 16;

  private final int iterations;
  private final byte[] salt;
  private final byte[] storedKey;
  private final byte[] serverKey;

  ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
    this.iterations = iterations;
    this.salt = salt;
    this.storedKey = storedKey;
    this.serverKey = serverKey;
  }

  /** Reads one; empty when it is none, as for a role without a password or with an MD5 hash. */
  public static Optional<ScramVerifier> parse(String text) {
    Matcher m = TEXT.matcher(text);
    if (!m.matches()) {
      return Optional.empty();
    }
    try {
      ScramVerifier verifier =
          new ScramVerifier(
              Integer.parseInt(m.group(1)),
              Scram.unbase64(m.group(2)),
              Scram.unbase64(m.group(3)),
              Scram.unbase64(m.group(4)));
      return verifier.iterations > 0
              && verifier.storedKey.length == Scram.KEY_BYTES
              && verifier.serverKey.length == Scram.KEY_BYTES
          ? Optional.of(verifier)
          : Optional.empty();
    } catch (ScramException e) {
      return Optional.empty();
    }
  }

  /**
   * One that nobody can prove to know, for a role that does not exist: who asks cannot tell it from
   * one that does, as its salt stays the same.
   *
   * @param secret of this process
   */
  static ScramVerifier mock(byte[] secret, String user) {
    byte[] salt = Arrays.copyOf(Scram.hmac(secret, user), SALT_BYTES);
    byte[] key = Scram.hmac(secret, "key of " + user);
    return new ScramVerifier(MOCK_ITERATIONS, salt, key, key);
  }

  int iterations() {
    return iterations;
  }

  byte[] salt() {
    return salt;
  }

  byte[] storedKey() {
    return storedKey;
  }

  byte[] serverKey() {
    return serverKey;
  }
}

package io.mgtm.query.scram;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A password, and the keys that follow from it with the salts of servers that were entered: to
 * derive them takes longer than all else that entering does. Any thread.
 */
public final class ScramPassword {
  private static final int SALTS_MAX = 32;

  private record Salt(ByteBuffer salt, int iterations) {}

  private final String password;
  private final Map<Salt, ScramKeys> known = new LinkedHashMap<>();

  public ScramPassword(String password) {
    this.password = password;
  }

  /** The client's half of an exchange. */
  public ScramClient client() {
    return ScramClient.withPassword(this);
  }

  ScramKeys keys(byte[] salt, int iterations) {
    Salt of = new Salt(ByteBuffer.wrap(salt.clone()), iterations);
    synchronized (known) {
      ScramKeys keys = known.get(of);
      if (keys != null) {
        return keys;
      }
    }
    ScramKeys derived = ScramKeys.ofPassword(password, salt, iterations);
    synchronized (known) {
      if (known.size() >= SALTS_MAX) {
        known.clear();
      }
      known.put(of, derived);
    }
    return derived;
  }
}

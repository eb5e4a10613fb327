package io.mgtm.block.link;

import io.mgtm.block.wire.LinkKey;
import java.security.SecureRandom;

/**
 * How the ends of links know each other.
 *
 * @param key the volume's key, or null
 * @param certified whether both ends show certificates that the other verifies
 */
public record LinkSecurity(LinkKey key, boolean certified) {
  /** Anybody who can reach the port is believed. */
  public static final LinkSecurity OPEN = new LinkSecurity(null, false);

  private static final SecureRandom RANDOM = new SecureRandom();

  /** Whether the other end is known to be a copy of this volume once it may speak. */
  public boolean isProving() {
    return key != null || certified;
  }

  Authentication begin(boolean dialling) {
    byte[] nonce = new byte[Authentication.NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    return new Authentication(key, dialling, nonce);
  }
}

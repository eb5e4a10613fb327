package io.mgtm.ha.api;

import io.mgtm.common.Hmac;

/**
 * What proves to a controller that who asks knows the cluster's secret: HMAC-SHA-256 of the secret
 * over the purpose, in hexadecimal digits. The secret itself, which seals what nodes tell each
 * other, does not go over the network.
 */
public final class OperatorToken {
  private OperatorToken() {}

  /** The token of a secret. Any thread. */
  public static String of(String secret) {
    return Hmac.hex(secret, "mgtm ha operators");
  }
}

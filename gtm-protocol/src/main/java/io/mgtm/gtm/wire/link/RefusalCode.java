package io.mgtm.gtm.wire.link;

/** Why a node refuses what a gateway sent. */
public enum RefusalCode {
  /** The state knows no such session: what was not answered is in doubt. */
  SESSION_LOST(1),
  /** Another gateway of this name and kind is connected. */
  NAME_IN_USE(2),
  /** Nothing was done; another node leads, or none. */
  NOT_LEADING(3),
  /** The gateway broke the protocol; the link is closed. */
  PROTOCOL(4),
  /** The gateway does not know the secret; the link is closed. */
  AUTH(5),
  /** A limit is reached. */
  LIMITS(6);

  private final int code;

  RefusalCode(int code) {
    this.code = code;
  }

  /** The value on the link. */
  public int code() {
    return code;
  }

  /** The refusal of a code, or null when this version has none. */
  public static RefusalCode ofCode(int code) {
    return code >= 1 && code <= 6 ? values()[code - 1] : null;
  }
}

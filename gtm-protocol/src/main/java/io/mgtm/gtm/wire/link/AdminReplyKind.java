package io.mgtm.gtm.wire.link;

/** What an {@code ADMIN_REPLY} frame holds. */
public enum AdminReplyKind {
  /** The answer, or its last piece. */
  DONE(0),
  /** A piece of the answer; more follow. */
  PIECE(1),
  /** One sentence that says why not; UTF-8. */
  FAILED(2),
  /** This node does not lead: {@code host:port} of the one to ask, empty when none is known. */
  REDIRECT(3);

  private final int code;

  AdminReplyKind(int code) {
    this.code = code;
  }

  /** The value on the link. */
  public int code() {
    return code;
  }

  /** The kind of a code, or null when this version has none. */
  public static AdminReplyKind ofCode(int code) {
    return code >= 0 && code <= 3 ? values()[code] : null;
  }
}

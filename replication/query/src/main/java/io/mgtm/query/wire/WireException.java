package io.mgtm.query.wire;

import io.netty.handler.codec.DecoderException;

/** What the other end sent breaks the protocol or a limit; its connection is to be closed. */
public final class WireException extends DecoderException {
  private static final long serialVersionUID = 1L;

  /** protocol_violation. */
  public static final String PROTOCOL_VIOLATION = "08P01";

  /** program_limit_exceeded. */
  public static final String LIMIT_EXCEEDED = "54000";

  private final String sqlState;

  public WireException(String sqlState, String message) {
    super(message);
    this.sqlState = sqlState;
  }

  /** The SQLSTATE to tell a client. */
  public String sqlState() {
    return sqlState;
  }
}

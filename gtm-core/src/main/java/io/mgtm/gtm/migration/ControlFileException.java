package io.mgtm.gtm.migration;

import io.mgtm.common.OperatorError;

/** The file is no whole {@code gtm.control}; the message says where, and what to do. */
public final class ControlFileException extends Exception implements OperatorError {
  private static final long serialVersionUID = 1L;

  public ControlFileException(String message) {
    super(message);
  }

  public ControlFileException(String message, Throwable cause) {
    super(message, cause);
  }
}

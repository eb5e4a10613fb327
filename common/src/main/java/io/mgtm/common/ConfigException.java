package io.mgtm.common;

/** The configuration is wrong; the message names the key, the value and what is allowed. */
public final class ConfigException extends Exception implements OperatorError {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}

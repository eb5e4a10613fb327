package io.mgtm.common;

/** The configuration is wrong; the message names the key, the value and what is allowed. */
public final class ConfigException extends Exception implements OperatorError {
  private static final long serialVersionUID = 1L;

  /**
   * A file has more than one YAML document, of which the others would count for nothing.
   *
   * @param where the file, and where in it the second begins
   */
  public static ConfigException secondDocument(String where) {
    return new ConfigException(
        where
            + ": a second YAML document begins here; a file has one: remove the line --- before it, or all that follows");
  }

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}

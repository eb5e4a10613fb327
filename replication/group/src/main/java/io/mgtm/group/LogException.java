package io.mgtm.group;

/**
 * An operating error of the log or its storage. The message says what failed, where, and what to
 * do, in one sentence for an operator.
 */
public final class LogException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What kind of trouble it is. */
  public enum Category {
    /** The folder cannot be created, read or written, or is read-only. */
    ACCESS,
    /** Another running process owns the folder. */
    IN_USE,
    /** Written by a newer version, or not by this program at all. */
    FORMAT,
    /** A checksum does not match where acknowledged entries stand. */
    CORRUPT,
    /** The disk is full. */
    NO_SPACE,
    /** Reading, writing or forcing failed. */
    IO
  }

  private final Category category;

  public LogException(Category category, String message) {
    super(message);
    this.category = category;
  }

  public LogException(Category category, String message, Throwable cause) {
    super(message, cause);
    this.category = category;
  }

  public Category category() {
    return category;
  }
}

package io.mgtm.group;

import io.mgtm.common.OperatorError;

/**
 * An operating error of the log or its storage. The message says what failed, where, and what to
 * do, in one sentence for an operator.
 */
public final class LogException extends RuntimeException implements OperatorError {
  private static final long serialVersionUID = 1L;

  /** What to do when a file of the data folder cannot be used. */
  public static final String ADVICE =
      "; a member of a group starts with an empty folder and joins again, a node alone is restored"
          + " from a backup";

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

  /**
   * What acknowledged entries stand in is damaged; the message goes on with what to do.
   *
   * @param what is damaged, and where
   * @param cause or null
   */
  public static LogException damaged(String what, Throwable cause) {
    return new LogException(Category.CORRUPT, what + ADVICE, cause);
  }

  public static LogException damaged(String what) {
    return damaged(what, null);
  }

  /**
   * A running process has read what it did not write; only a start, which reads all of the log,
   * knows whether acknowledged entries are damaged.
   */
  public static LogException misread(String file, int offset, long index) {
    return new LogException(
        Category.CORRUPT,
        ("%s is damaged at offset %d, index %d; start again on this folder: the start reads all of"
                + " the log again, and says what to do if it cannot be used")
            .formatted(file, offset, index));
  }

  public Category category() {
    return category;
  }
}

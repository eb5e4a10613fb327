package io.mgtm.group.quorumdisk;

/** Why bytes are no quorum disk that can be used; a part of a sentence. */
final class DamageException extends Exception {
  private static final long serialVersionUID = 1;

  DamageException(String message) {
    super(message);
  }

  DamageException(String message, Throwable cause) {
    super(message, cause);
  }
}

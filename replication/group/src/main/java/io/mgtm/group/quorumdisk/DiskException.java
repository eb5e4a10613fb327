package io.mgtm.group.quorumdisk;

import java.io.IOException;

/** Why a quorum disk cannot be used; a part of a sentence for an operator. */
public final class DiskException extends IOException {
  private static final long serialVersionUID = 1;

  DiskException(String message) {
    super(message);
  }

  DiskException(String message, Throwable cause) {
    super(message, cause);
  }
}

package io.mgtm.gtm.gateway;

/**
 * Whether a client is between begin and end of a backup, when its lists all show one moment, as the
 * leader that it began at keeps it. One thread.
 */
final class BackupWatch {
  private boolean open;

  /** Replies until that to the end of the backup; 0 before it is asked for. */
  private int left;

  /** The client begins. */
  void begin() {
    open = true;
    left = 0;
  }

  /**
   * The client ends it.
   *
   * @param awaited replies that have to come, that to this command among them
   */
  void end(int awaited) {
    if (open) {
      left = awaited;
    }
  }

  /** A reply has come. */
  void answered() {
    if (left > 0) {
      left--;
      open = left > 0;
    }
  }

  boolean isOpen() {
    return open;
  }
}

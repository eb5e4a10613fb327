package io.mgtm.jni;

/**
 * An eventfd by which any thread ends the wait of another one. {@link #signal()} may come at any
 * time, also after {@link #close()}, when it does nothing.
 */
public final class Wakeup implements AutoCloseable {

  private final int fd;
  private final SharedHandle handle;

  private Wakeup(int fd) {
    this.fd = fd;
    handle = new SharedHandle(this, "wakeup", fd, number -> close((int) number));
  }

  /**
   * Opens one.
   *
   * @throws IllegalStateException when the system has no descriptor left
   */
  public static Wakeup create() {
    int fd = open();
    if (fd < 0) {
      throw new IllegalStateException("eventfd failed with " + Errno.of(-fd));
    }
    return new Wakeup(fd);
  }

  /** The descriptor, for the native code that waits; its owner keeps this object open. */
  public int fd() {
    return fd;
  }

  /** Ends the present wait or else the next one. */
  public void signal() {
    if (handle.tryAcquire()) {
      try {
        signal(fd);
      } finally {
        handle.release();
      }
    }
  }

  /** Closes the descriptor as soon as no thread signals. Further calls do nothing. */
  @Override
  public void close() {
    handle.close();
  }

  private static native int open();

  private static native void signal(int fd);

  private static native void close(int fd);
}

package io.mgtm.rdma;

/** Listening (rdma_listener.c); an errno is a negative number. */
final class ListenerCalls {

  private ListenerCalls() {}

  static native long open(long domain, int port, int backlog, int wakeupFd);

  static native int port(long listener);

  static native long next(long listener, long timeoutMs);

  static native void close(long listener);
}

package io.mgtm.rdma;

import io.mgtm.jni.Errno;
import java.io.IOException;

/** What the system or the device answered instead of doing what it was asked. */
public final class RdmaException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Errno errno;
  private final WorkStatus status;

  /** A system call failed. */
  RdmaException(String what, int code) {
    this(what, Errno.of(code), WorkStatus.SUCCESS, code);
  }

  /** A device gave up a piece of work. */
  RdmaException(String what, WorkStatus status) {
    this(what, Errno.UNKNOWN, status, 0);
  }

  private RdmaException(String what, Errno errno, WorkStatus status, int code) {
    super(
        what
            + " failed with "
            + (status != WorkStatus.SUCCESS
                ? status + " (" + status.text() + ")"
                : errno == Errno.UNKNOWN
                    ? "errno " + code
                    : errno + " (" + errno.text() + ")" + advice(errno)));
    this.errno = errno;
    this.status = status;
  }

  /** The system's error; {@link Errno#UNKNOWN} when the device gave the work up. */
  public Errno errno() {
    return errno;
  }

  /** Why the device gave the work up; {@link WorkStatus#SUCCESS} when the system refused. */
  public WorkStatus status() {
    return status;
  }

  private static String advice(Errno errno) {
    return switch (errno) {
      case ENODEV -> ": no RDMA device has this address (see rdma link)";
      case ENOMEM -> ": raise the limit of locked memory (ulimit -l) or use smaller pools";
      case ECONNREFUSED -> ": nobody listens there, or the peer refused";
      case ETIMEDOUT -> ": the peer did not answer in time";
      case EMSGSIZE -> ": the private data is too long";
      default -> "";
    };
  }
}

package io.mgtm.flash;

import io.mgtm.jni.Errno;
import java.io.IOException;
import java.nio.file.Path;

/** What the system answered instead of carrying out an operation on a file. */
public final class FlashException extends IOException {

  private static final long serialVersionUID = 1L;

  private final String operation;
  private final Errno errno;
  private final int code;
  private final long offset;
  private final long lengthBytes;

  FlashException(String operation, Path path, long offset, long lengthBytes, int code) {
    this(operation, path, offset, lengthBytes, Errno.of(code), code, null);
  }

  FlashException(
      String operation, Path path, long offset, long lengthBytes, Errno errno, Throwable cause) {
    this(operation, path, offset, lengthBytes, errno, errno.code(), cause);
  }

  private FlashException(
      String operation,
      Path path,
      long offset,
      long lengthBytes,
      Errno errno,
      int code,
      Throwable cause) {
    super(
        operation
            + (lengthBytes >= 0 ? " of " + lengthBytes + " bytes" : "")
            + (offset >= 0 ? " at offset " + offset : "")
            + (path == null ? "" : " of " + path)
            + " failed with "
            + (errno == Errno.UNKNOWN && code != 0 ? "errno " + code : errno.name())
            + " ("
            + (errno == Errno.UNKNOWN && cause != null ? cause.getMessage() : errno.text())
            + ")"
            + advice(errno),
        cause);
    this.operation = operation;
    this.errno = errno;
    this.code = code;
    this.offset = offset;
    this.lengthBytes = lengthBytes;
  }

  /** What failed: open, read, write, sync, discard, zero, resize and the like. */
  public String operation() {
    return operation;
  }

  /** The system's error. */
  public Errno errno() {
    return errno;
  }

  /** The system's number for it; 0 when it is not known. */
  public int code() {
    return code;
  }

  /** Where in the file, in bytes; -1 when the operation has no place. */
  public long offset() {
    return offset;
  }

  /** How many bytes; -1 when the operation has no length. */
  public long lengthBytes() {
    return lengthBytes;
  }

  private static String advice(Errno errno) {
    return switch (errno) {
      case ENOSPC, EDQUOT -> ": make room on its file system";
      case EACCES, EPERM -> ": give this process the right to it";
      case EROFS -> ": mount it for writing or open it for reading only";
      case EMFILE, ENFILE -> ": raise the limit of open files";
      case ENOMEM -> ": raise the limit of locked memory (ulimit -l) or use smaller pools";
      case EIO -> ": look at the kernel's log for the device";
      case EOPNOTSUPP -> ": this file system or device cannot do it";
      default -> "";
    };
  }
}

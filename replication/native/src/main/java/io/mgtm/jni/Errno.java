package io.mgtm.jni;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The errors that files, rings and RDMA devices give, by Linux's numbers (asm-generic/errno.h, the
 * same for x86-64 and aarch64) and glibc's English texts.
 */
public enum Errno {
  /** Operation not permitted. */
  EPERM(1, "Operation not permitted"),
  /** No such file or directory. */
  ENOENT(2, "No such file or directory"),
  /** Interrupted system call. */
  EINTR(4, "Interrupted system call"),
  /** Input or output error. */
  EIO(5, "Input/output error"),
  /** No such device or address. */
  ENXIO(6, "No such device or address"),
  /** Bad file descriptor. */
  EBADF(9, "Bad file descriptor"),
  /** Resource temporarily unavailable. */
  EAGAIN(11, "Resource temporarily unavailable"),
  /** Cannot allocate memory. */
  ENOMEM(12, "Cannot allocate memory"),
  /** Permission denied. */
  EACCES(13, "Permission denied"),
  /** Bad address. */
  EFAULT(14, "Bad address"),
  /** Device or resource busy. */
  EBUSY(16, "Device or resource busy"),
  /** File exists. */
  EEXIST(17, "File exists"),
  /** Invalid cross-device link. */
  EXDEV(18, "Invalid cross-device link"),
  /** No such device. */
  ENODEV(19, "No such device"),
  /** Not a directory. */
  ENOTDIR(20, "Not a directory"),
  /** Is a directory. */
  EISDIR(21, "Is a directory"),
  /** Invalid argument. */
  EINVAL(22, "Invalid argument"),
  /** Too many open files in system. */
  ENFILE(23, "Too many open files in system"),
  /** Too many open files. */
  EMFILE(24, "Too many open files"),
  /** Inappropriate ioctl for device. */
  ENOTTY(25, "Inappropriate ioctl for device"),
  /** Text file busy. */
  ETXTBSY(26, "Text file busy"),
  /** File too large. */
  EFBIG(27, "File too large"),
  /** No space left on device. */
  ENOSPC(28, "No space left on device"),
  /** Illegal seek. */
  ESPIPE(29, "Illegal seek"),
  /** Read-only file system. */
  EROFS(30, "Read-only file system"),
  /** Broken pipe. */
  EPIPE(32, "Broken pipe"),
  /** Numerical result out of range. */
  ERANGE(34, "Numerical result out of range"),
  /** File name too long. */
  ENAMETOOLONG(36, "File name too long"),
  /** Function not implemented. */
  ENOSYS(38, "Function not implemented"),
  /** Too many levels of symbolic links. */
  ELOOP(40, "Too many levels of symbolic links"),
  /** No data available. */
  ENODATA(61, "No data available"),
  /** Timer expired. */
  ETIME(62, "Timer expired"),
  /** Protocol error. */
  EPROTO(71, "Protocol error"),
  /** Value too large for defined data type. */
  EOVERFLOW(75, "Value too large for defined data type"),
  /** File descriptor in bad state. */
  EBADFD(77, "File descriptor in bad state"),
  /** Message too long. */
  EMSGSIZE(90, "Message too long"),
  /** Protocol not supported. */
  EPROTONOSUPPORT(93, "Protocol not supported"),
  /** Operation not supported. */
  EOPNOTSUPP(95, "Operation not supported"),
  /** Address family not supported by protocol. */
  EAFNOSUPPORT(97, "Address family not supported by protocol"),
  /** Address already in use. */
  EADDRINUSE(98, "Address already in use"),
  /** Cannot assign requested address. */
  EADDRNOTAVAIL(99, "Cannot assign requested address"),
  /** Network is down. */
  ENETDOWN(100, "Network is down"),
  /** Network is unreachable. */
  ENETUNREACH(101, "Network is unreachable"),
  /** Software caused connection abort. */
  ECONNABORTED(103, "Software caused connection abort"),
  /** Connection reset by peer. */
  ECONNRESET(104, "Connection reset by peer"),
  /** No buffer space available. */
  ENOBUFS(105, "No buffer space available"),
  /** Transport endpoint is already connected. */
  EISCONN(106, "Transport endpoint is already connected"),
  /** Transport endpoint is not connected. */
  ENOTCONN(107, "Transport endpoint is not connected"),
  /** Connection timed out. */
  ETIMEDOUT(110, "Connection timed out"),
  /** Connection refused. */
  ECONNREFUSED(111, "Connection refused"),
  /** Host is down. */
  EHOSTDOWN(112, "Host is down"),
  /** No route to host. */
  EHOSTUNREACH(113, "No route to host"),
  /** Operation already in progress. */
  EALREADY(114, "Operation already in progress"),
  /** Operation now in progress. */
  EINPROGRESS(115, "Operation now in progress"),
  /** Stale file handle. */
  ESTALE(116, "Stale file handle"),
  /** Remote I or O error. */
  EREMOTEIO(121, "Remote I/O error"),
  /** Disk quota exceeded. */
  EDQUOT(122, "Disk quota exceeded"),
  /** Operation canceled. */
  ECANCELED(125, "Operation canceled"),
  /** A number that is none of the others. */
  UNKNOWN(0, "error without a name");

  private static final Map<Integer, Errno> BY_CODE =
      Arrays.stream(values()).collect(Collectors.toMap(Errno::code, Function.identity()));
  private static final Map<String, Errno> BY_TEXT =
      Arrays.stream(values()).collect(Collectors.toMap(Errno::text, Function.identity()));

  private final int code;
  private final String text;

  Errno(int code, String text) {
    this.code = code;
    this.text = text;
  }

  /** The number, positive; 0 for {@link #UNKNOWN}. */
  public int code() {
    return code;
  }

  /** The system's sentence for it. */
  public String text() {
    return text;
  }

  /** The error of a number. */
  public static Errno of(int code) {
    return BY_CODE.getOrDefault(code, UNKNOWN);
  }

  /** The error of a system's sentence, as the JDK puts it into its exceptions. */
  public static Errno ofText(String text) {
    return BY_TEXT.getOrDefault(text, UNKNOWN);
  }
}

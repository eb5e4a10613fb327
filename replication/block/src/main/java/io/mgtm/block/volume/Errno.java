package io.mgtm.block.volume;

/**
 * The NBD error values that the core answers with; 0 is success. Follows the list of error values
 * in NBD's doc/proto.md.
 */
public final class Errno {
  /** Success. */
  public static final int OK = 0;

  /** The side is not primary. */
  public static final int EPERM = 1;

  /** An input or output error. */
  public static final int EIO = 5;

  /** The request is not valid. */
  public static final int EINVAL = 22;

  /** Past the end, or no room. */
  public static final int ENOSPC = 28;

  /** The side is being demoted or stopped. */
  public static final int ESHUTDOWN = 108;

  private Errno() {}
}

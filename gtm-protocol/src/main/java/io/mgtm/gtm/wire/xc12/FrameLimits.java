package io.mgtm.gtm.wire.xc12;

/** The longest things of the protocol, in bytes without a terminator unless said. */
public final class FrameLimits {
  /** The frame's type byte and length. */
  public static final int HEADER_BYTES = 5;

  /** SP_NODE_NAME. */
  public static final int STARTUP_NAME_BYTES = 64;

  /** sizeof(GTM_StartupPacket): name, type, postmaster flag, padding. */
  public static final int STARTUP_BODY_BYTES = 72;

  /** GTM_MAX_SEQKEY_LENGTH, terminator included. */
  public static final int SEQUENCE_KEY_BYTES_MAX = 1_024;

  /** GTM_MAX_GID_LEN less the terminator. */
  public static final int GID_BYTES_MAX = 255;

  /** GTM_MAX_NODESTRING_LEN less the terminator. */
  public static final int NODE_STRING_BYTES_MAX = 1_023;

  /**
   * A client of the original reads a listed node into a buffer of this size (fe-protocol.c), so
   * none may take more.
   */
  public static final int NODE_BYTES_MAX = 1_024;

  /** A barrier's id; PostgreSQL makes it from a command's text or a timestamp. */
  public static final int BARRIER_ID_BYTES_MAX = 1_024;

  /** GTM_MAX_GLOBAL_TRANSACTIONS: the most that one message groups. */
  public static final int GROUP_MAX = 4_096;

  /**
   * The longest frame a client may send unless configured otherwise: a group of GROUP_MAX items
   * takes less than half of it.
   */
  public static final int FRAME_BYTES_MAX = 64 * 1024;

  private FrameLimits() {}
}

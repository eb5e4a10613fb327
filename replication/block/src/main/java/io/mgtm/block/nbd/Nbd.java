package io.mgtm.block.nbd;

/** Numbers of the NBD protocol, after doc/proto.md of NetworkBlockDevice/nbd. */
final class Nbd {
  static final long MAGIC = 0x4e42444d41474943L;
  static final long OPTION_MAGIC = 0x49484156454F5054L;
  static final long OPTION_REPLY_MAGIC = 0x3e889045565a9L;
  static final int REQUEST_MAGIC = 0x25609513;
  static final int SIMPLE_REPLY_MAGIC = 0x67446698;
  static final int STRUCTURED_REPLY_MAGIC = 0x668e33ef;

  static final int FLAG_FIXED_NEWSTYLE = 1;
  static final int FLAG_NO_ZEROES = 2;

  static final int OPT_EXPORT_NAME = 1;
  static final int OPT_ABORT = 2;
  static final int OPT_LIST = 3;
  static final int OPT_STARTTLS = 5;
  static final int OPT_INFO = 6;
  static final int OPT_GO = 7;
  static final int OPT_STRUCTURED_REPLY = 8;
  static final int OPT_LIST_META_CONTEXT = 9;
  static final int OPT_SET_META_CONTEXT = 10;

  static final int REP_ACK = 1;
  static final int REP_SERVER = 2;
  static final int REP_INFO = 3;
  static final int REP_META_CONTEXT = 4;
  static final int REP_ERR_UNSUP = 0x80000001;
  static final int REP_ERR_POLICY = 0x80000002;
  static final int REP_ERR_INVALID = 0x80000003;
  static final int REP_ERR_TLS_REQD = 0x80000005;
  static final int REP_ERR_UNKNOWN = 0x80000006;
  static final int REP_ERR_TOO_BIG = 0x80000009;

  static final int INFO_EXPORT = 0;
  static final int INFO_NAME = 1;
  static final int INFO_DESCRIPTION = 2;
  static final int INFO_BLOCK_SIZE = 3;

  static final int HAS_FLAGS = 1;
  static final int READ_ONLY = 1 << 1;
  static final int SEND_FLUSH = 1 << 2;
  static final int SEND_FUA = 1 << 3;
  static final int SEND_TRIM = 1 << 5;
  static final int SEND_WRITE_ZEROES = 1 << 6;
  static final int SEND_DF = 1 << 7;
  static final int CAN_MULTI_CONN = 1 << 8;
  static final int SEND_CACHE = 1 << 10;
  static final int SEND_FAST_ZERO = 1 << 11;

  static final int CMD_READ = 0;
  static final int CMD_WRITE = 1;
  static final int CMD_DISC = 2;
  static final int CMD_FLUSH = 3;
  static final int CMD_TRIM = 4;
  static final int CMD_CACHE = 5;
  static final int CMD_WRITE_ZEROES = 6;
  static final int CMD_BLOCK_STATUS = 7;

  static final int CMD_FLAG_FUA = 1;
  static final int CMD_FLAG_NO_HOLE = 1 << 1;
  static final int CMD_FLAG_DF = 1 << 2;
  static final int CMD_FLAG_REQ_ONE = 1 << 3;
  static final int CMD_FLAG_FAST_ZERO = 1 << 4;

  static final int REPLY_FLAG_DONE = 1;
  static final int REPLY_NONE = 0;
  static final int REPLY_OFFSET_DATA = 1;
  static final int REPLY_BLOCK_STATUS = 5;
  static final int REPLY_ERROR = 0x8001;

  static final int STATE_HOLE = 1;
  static final int STATE_ZERO = 2;

  static final int EPERM = 1;
  static final int EINVAL = 22;
  static final int ENOSPC = 28;
  static final int EOVERFLOW = 75;
  static final int ENOTSUP = 95;
  static final int ESHUTDOWN = 108;

  /** The largest payload of a request or reply. */
  static final int PAYLOAD_BYTES_MAX = 32 << 20;

  static final int NAME_BYTES_MAX = 4096;
  static final int OPTION_BYTES_MAX = 64 * 1024;
  static final int REQUEST_HEADER_BYTES = 28;

  private Nbd() {}
}

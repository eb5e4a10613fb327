package io.mgtm.block.nbd;

import io.mgtm.block.volume.Errno;

/**
 * Which requests are refused, and with which error, after the command descriptions in NBD's
 * doc/proto.md.
 */
final class NbdChecks {
  private NbdChecks() {}

  /** The error for {@code request}, or 0 when it may go on. */
  static int refusal(NbdRequest request, NbdExport export, boolean blockStatus) {
    if (request.command > Nbd.CMD_BLOCK_STATUS
        || (request.flags & ~allowedFlags(request.command)) != 0) {
      return Nbd.EINVAL;
    }
    if (export.unavailable() != null) {
      return Nbd.ESHUTDOWN;
    }
    if (request.command == Nbd.CMD_FLUSH) {
      return request.offset == 0 && request.length == 0 ? Errno.OK : Nbd.EINVAL;
    }
    boolean changes =
        request.command == Nbd.CMD_WRITE
            || request.command == Nbd.CMD_TRIM
            || request.command == Nbd.CMD_WRITE_ZEROES;
    if (changes && export.isReadOnly()) {
      return Nbd.EPERM;
    }
    if (request.offset < 0
        || request.offset > export.sizeBytes()
        || request.length > export.sizeBytes() - request.offset) {
      boolean writes = request.command == Nbd.CMD_WRITE || request.command == Nbd.CMD_WRITE_ZEROES;
      return writes ? Nbd.ENOSPC : Nbd.EINVAL;
    }
    if (request.length == 0) {
      return request.command == Nbd.CMD_WRITE ? Errno.OK : Nbd.EINVAL;
    }
    return special(request, export, blockStatus);
  }

  private static int special(NbdRequest request, NbdExport export, boolean blockStatus) {
    return switch (request.command) {
      case Nbd.CMD_READ -> request.length > Nbd.PAYLOAD_BYTES_MAX ? Nbd.EOVERFLOW : Errno.OK;
      case Nbd.CMD_BLOCK_STATUS -> blockStatus ? Errno.OK : Nbd.EINVAL;
      case Nbd.CMD_WRITE_ZEROES -> {
        boolean fast = (request.flags & Nbd.CMD_FLAG_FAST_ZERO) != 0;
        yield fast && !export.zeroesFast() ? Nbd.ENOTSUP : Errno.OK;
      }
      default -> Errno.OK;
    };
  }

  private static int allowedFlags(int command) {
    return switch (command) {
      case Nbd.CMD_READ -> Nbd.CMD_FLAG_FUA | Nbd.CMD_FLAG_DF;
      case Nbd.CMD_WRITE_ZEROES -> Nbd.CMD_FLAG_FUA | Nbd.CMD_FLAG_NO_HOLE | Nbd.CMD_FLAG_FAST_ZERO;
      case Nbd.CMD_BLOCK_STATUS -> Nbd.CMD_FLAG_FUA | Nbd.CMD_FLAG_REQ_ONE;
      case Nbd.CMD_CACHE -> 0;
      default -> Nbd.CMD_FLAG_FUA;
    };
  }
}

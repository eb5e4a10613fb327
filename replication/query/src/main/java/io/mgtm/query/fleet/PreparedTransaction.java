package io.mgtm.query.fleet;

import io.mgtm.query.order.Part;
import java.util.UUID;

/**
 * A transaction that a server has prepared before it is decided, as its COMMIT might fail at
 * isolation level SERIALIZABLE. With it a row with its token is inserted, which nobody at that
 * level reads: so the server tells afterwards whether it has committed. Immutable.
 *
 * @param fence of the server, when it was prepared
 */
public record PreparedTransaction(UUID token, long fence) {
  private static final String PREFIX = "mgtm ";

  /** A new one. */
  public static PreparedTransaction at(Node server) {
    return new PreparedTransaction(UUID.randomUUID(), server.fence());
  }

  /** A condition for those of replicators that do not have a fence; all of them with 0. */
  static String others(long fence) {
    return "gid LIKE '" + PREFIX + "%' AND gid NOT LIKE '" + PREFIX + fence + " %'";
  }

  /** Asks whether a server is a standby, and how many others there are. */
  public static String watchSql(long fence) {
    return "SELECT pg_is_in_recovery(), (SELECT count(*) FROM pg_prepared_xacts WHERE "
        + others(fence)
        + ")";
  }

  private String gid() {
    return PREFIX + fence + " " + token;
  }

  /**
   * Prepares the open transaction, and begins another one, in one query.
   *
   * @param writes whether it has an entry, and a row with its token
   * @param begin of the other one
   */
  public String prepareSql(boolean writes, String begin) {
    return "SELECT mgtm.mgtm_prepares(%s, current_user); PREPARE TRANSACTION '%s'; %s"
        .formatted(writes ? "'" + token + "'" : "NULL", gid(), begin);
  }

  public String commitSql() {
    return "COMMIT PREPARED '" + gid() + "'";
  }

  public String rollbackSql() {
    return "ROLLBACK PREPARED '" + gid() + "'";
  }

  /** Asks for its gid and owner, where it is prepared still. */
  String findSql() {
    return PreparedTransactions.FIND + "gid = '" + gid() + "'";
  }

  /** Notes the number of its entry, which fails where it has not committed. */
  public String noteSql(int slot, long number, long settled) {
    return noteSql(token, slot, number, settled, fence);
  }

  private static String noteSql(UUID token, int slot, long number, long settled, long fence) {
    return "SELECT mgtm.mgtm_finishes('%s', %d, %d, %d, %d)"
        .formatted(token, slot, number, settled, fence);
  }

  /** Notes what a server is given of the log, which it may have committed without that. */
  public static String noteSql(Part part, long number, long settled, long fence) {
    return part.isCommitted()
        ? noteSql(part.token(), part.slot(), number, settled, fence)
        : PositionTable.noteSql(part.slot(), number, settled, fence);
  }
}

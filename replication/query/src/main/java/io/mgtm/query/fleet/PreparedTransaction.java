package io.mgtm.query.fleet;

import io.mgtm.query.order.Entry;
import io.mgtm.query.order.Part;
import io.mgtm.query.sql.Quoting;
import java.util.UUID;

/**
 * A transaction that a server has prepared: before it is decided, as its COMMIT might fail at
 * isolation level SERIALIZABLE; or for a client that has said PREPARE TRANSACTION. With it a row
 * with its token is inserted, which nobody reads in a transaction of clients: so the server tells
 * afterwards whether it has committed. It holds an advisory lock that names the fence, by which
 * those of replicators are known. Immutable.
 *
 * @param gid by which the server knows it
 * @param fence of the server, when it was prepared
 */
public record PreparedTransaction(UUID token, String gid, long fence) {
  /** The class of the advisory locks: "mgtm". */
  static final int LOCKS = 0x6d67746d;

  /**
   * A new one.
   *
   * @param gid the client's; null for one of the replicator's own
   */
  public static PreparedTransaction at(Node server, String gid) {
    UUID token = UUID.randomUUID();
    String name = gid == null ? own(token, server.fence()) : gid;
    return new PreparedTransaction(token, name, server.fence());
  }

  /** What a client has prepared. */
  public static PreparedTransaction of(Entry.Prepares one, long fence) {
    return new PreparedTransaction(one.part().token(), one.gid(), fence);
  }

  /** Whether it is the replicator's own. */
  public boolean isOwn() {
    return gid.equals(own(token, fence));
  }

  private static String own(UUID token, long fence) {
    return "mgtm " + fence + " " + token;
  }

  /** As the number of an advisory lock. */
  private static long lock(long fence) {
    return fence & 0xffff_ffffL;
  }

  /** A condition for those of replicators; {@code of} is one for the number of their locks. */
  private static String isOurs(String of) {
    return "EXISTS (SELECT FROM pg_locks a JOIN pg_locks x USING (virtualtransaction)"
        + " WHERE a.locktype = 'advisory' AND a.classid = "
        + LOCKS
        + " AND a.pid IS NULL AND x.pid IS NULL AND x.locktype = 'transactionid'"
        + " AND x.transactionid = p.transaction AND "
        + of
        + ")";
  }

  /** A condition for those of replicators that do not have a fence; all of them with 0. */
  static String others(long fence) {
    return isOurs("a.objid <> " + lock(fence));
  }

  /** Asks whether a server is a standby, and how many others there are. */
  public static String watchSql(long fence) {
    return "SELECT pg_is_in_recovery(), (SELECT count(*) FROM pg_prepared_xacts p WHERE "
        + others(fence)
        + ")";
  }

  /** A query that has the open transaction prepared by one that follows in the same text. */
  private String noteToken(String role, boolean writes) {
    return "SELECT mgtm.mgtm_prepares(%s, %s, %d)"
        .formatted(writes ? "'" + token + "'" : "NULL", role, (int) lock(fence));
  }

  /**
   * Prepares the open transaction.
   *
   * @param writes whether it has an entry, and a row with its token
   */
  public String prepareSql(boolean writes) {
    return noteToken("current_user", writes) + "; PREPARE TRANSACTION " + Quoting.literal(gid);
  }

  /** The same for its owner, if there is still such a role. */
  public String prepareSql(String owner) {
    return noteToken("rolname", true)
        + ", set_config('role', rolname, true) FROM (SELECT rolname FROM pg_roles WHERE rolname IN ("
        + Quoting.literal(owner)
        + ", current_user) ORDER BY rolname = current_user LIMIT 1) r; PREPARE TRANSACTION "
        + Quoting.literal(gid);
  }

  public String commitSql() {
    return "COMMIT PREPARED " + Quoting.literal(gid);
  }

  public String rollbackSql() {
    return "ROLLBACK PREPARED " + Quoting.literal(gid);
  }

  /** Asks for its gid and owner, where it is prepared still. */
  String findSql() {
    return PreparedTransactions.FIND
        + "gid = "
        + Quoting.literal(gid)
        + " AND "
        + isOurs("a.objid = " + lock(fence));
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

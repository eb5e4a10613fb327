package io.mgtm.query.fleet;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How often labels of enums were renamed, of each database. PostgreSQL lets that commit beside
 * transactions that have written such a label: behind it in the log they would name one that a
 * server which is given both does not have any more. Any thread reads it, the log's owner writes.
 */
public final class LabelRenames {
  /** Why a transaction may not stand in the log. */
  public static final String RENAMED = "a label of an enum was renamed while the transaction ran";

  /** Why a label may not be renamed. */
  public static final String PREPARED =
      "a label of an enum is not renamed while transactions are prepared, which may have written it";

  /** What a transaction has to do with it. */
  public record Of(String database, long before, boolean renames) {
    /** Of one that is not looked at. */
    public static final Of NONE = new Of("", 0, false);

    /** The same transaction, which renames one itself. */
    public Of renaming() {
      return new Of(database, before, true);
    }
  }

  private final Map<String, Long> counts = new ConcurrentHashMap<>();

  /** A transaction begins, which has written nothing yet. */
  public Of begin(String database) {
    return new Of(database, counts.getOrDefault(database, 0L), false);
  }

  /**
   * Admits a transaction as the next in the log, and counts it where it renames a label.
   *
   * @param prepared whether there are prepared transactions in its database
   * @return why it is not admitted, or null
   */
  String admit(Of one, boolean prepared) {
    if (one.before != counts.getOrDefault(one.database, 0L)) {
      return RENAMED;
    }
    if (one.renames && prepared) {
      return PREPARED;
    }
    if (one.renames) {
      counts.put(one.database, one.before + 1);
    }
    return null;
  }
}

package io.mgtm.query.recovery;

import io.mgtm.common.HostPort;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.LoginException;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.sql.Quoting;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sets a server's sequences behind the values that are in its tables, before it leads: the leader
 * alone has drawn from them. Any thread.
 */
final class Sequences {
  /** The columns of tables whose values a sequence gives, as their own or by a default. */
  private static final String OWNED =
      "SELECT DISTINCT quote_ident(sn.nspname) || '.' || quote_ident(s.relname),"
          + " quote_ident(tn.nspname) || '.' || quote_ident(t.relname), quote_ident(a.attname),"
          + " (SELECT q.seqincrement > 0 FROM pg_sequence q WHERE q.seqrelid = s.oid)"
          + " FROM pg_class s JOIN pg_namespace sn ON sn.oid = s.relnamespace JOIN ("
          + "SELECT objid AS seq, refobjid AS rel, refobjsubid AS num FROM pg_depend"
          + " WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass"
          + " AND refobjsubid > 0 AND deptype IN ('a', 'i') UNION"
          + " SELECT d.refobjid, e.adrelid, e.adnum FROM pg_depend d JOIN pg_attrdef e"
          + " ON d.classid = 'pg_attrdef'::regclass AND d.objid = e.oid"
          + " WHERE d.refclassid = 'pg_class'::regclass) o ON o.seq = s.oid"
          + " JOIN pg_class t ON t.oid = o.rel AND t.relkind IN ('r', 'p')"
          + " JOIN pg_namespace tn ON tn.oid = t.relnamespace JOIN pg_attribute a"
          + " ON a.attrelid = t.oid AND a.attnum = o.num AND a.atttypid IN (20, 21, 23)"
          + " WHERE s.relkind = 'S' AND s.relpersistence <> 't' AND t.relpersistence <> 't'";

  private Sequences() {}

  /** Sets all of a database; fails with a {@link LoginException}. */
  static CompletableFuture<Void> setBehindRows(OwnRole role, HostPort server, String database) {
    return role.use(
        server,
        database,
        asker ->
            asker
                .ask(OWNED)
                .thenCompose(rows -> Futures.all(rows.stream().map(row -> asker.ask(set(row))))));
  }

  private static String set(List<String> row) {
    boolean up = row.get(3).equals("t");
    return "SELECT setval(%s, m) FROM (SELECT %s(%s) AS m FROM %s) x, %s s WHERE m %s s.last_value"
        .formatted(
            Quoting.literal(row.get(0)),
            up ? "max" : "min",
            row.get(2),
            row.get(1),
            row.get(0),
            up ? ">=" : "<=");
  }
}

package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Database.Distribution;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was loaded, which a table of the database says. */
final class Loaded {
  private record Mark(int warehouses, int scale, int finished) {}

  private Loaded() {}

  /**
   * What a load that has come to its end left.
   *
   * @throws IOException when there is none
   */
  static Population read(Session session) throws IOException, SQLException {
    if (session.columns(Schema.MARK).isEmpty()) {
      throw new IOException("nothing is loaded there; run mgtm bench tpcc load first");
    }
    List<Mark> marks =
        session.rows(
            "SELECT warehouses, scale, finished FROM " + Schema.MARK,
            row -> new Mark(row.getInt(1), row.getInt(2), row.getInt(3)));
    session.commit();
    if (marks.size() != 1 || marks.get(0).finished() == 0) {
      throw new IOException(
          "a load has not come to its end there; run mgtm bench tpcc load --replace");
    }
    return new Population(marks.get(0).warehouses(), marks.get(0).scale());
  }

  /**
   * Makes empty tables, and the mark of a load that goes on; all of it or nothing, where the
   * database can.
   *
   * @param replace whether tables of an earlier load may be dropped
   * @throws IOException when there are tables already; nothing has been changed then
   */
  static void begin(
      Session session,
      Database database,
      Distribution distribution,
      Population population,
      long seed,
      boolean replace)
      throws IOException, SQLException {
    List<String> former = former(session);
    if (!former.isEmpty() && !replace) {
      throw new IOException("a load is there already; load --replace drops it and starts over");
    }
    session.execute(former.stream().map(table -> "DROP TABLE " + table).toList());
    session.execute(List.of(Schema.createMark(database, distribution)));
    session.changeOne(
        "INSERT INTO " + Schema.MARK + " (warehouses, scale, seed, finished) VALUES (?, ?, ?, 0)",
        population.warehouses(),
        population.scale(),
        seed);
    session.execute(Schema.create(database, distribution));
    session.commit();
  }

  /**
   * The tables of an earlier load, its mark the last.
   *
   * @throws IOException when a table of that name is another's
   */
  private static List<String> former(Session session) throws IOException, SQLException {
    List<String> former = new ArrayList<>();
    boolean marked = !session.columns(Schema.MARK).isEmpty();
    for (Map.Entry<String, Set<String>> ours : Schema.columns().entrySet()) {
      Set<String> found = session.columns(ours.getKey());
      if (found.isEmpty()) {
        continue;
      }
      if (!marked || !found.equals(ours.getValue())) {
        throw new IOException(
            "there is a table "
                + ours.getKey()
                + " that is not of this benchmark; name another database or schema");
      }
      former.add(ours.getKey());
    }
    return former;
  }

  /** Notes that the load has come to its end. */
  static void end(Session session) throws SQLException {
    session.changeOne("UPDATE " + Schema.MARK + " SET finished = 1");
    session.commit();
  }
}

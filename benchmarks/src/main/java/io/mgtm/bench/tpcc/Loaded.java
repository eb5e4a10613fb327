package io.mgtm.bench.tpcc;

import io.mgtm.bench.tpcc.Database.Distribution;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

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
    if (!session.hasTable(Schema.MARK)) {
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
   * Makes empty tables, and the mark of a load that goes on.
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
    boolean ours = session.hasTable(Schema.MARK);
    if (ours && !replace) {
      throw new IOException("a load is there already; load --replace drops it and starts over");
    }
    if (ours) {
      session.execute(
          Schema.tables().stream().map(table -> "DROP TABLE IF EXISTS " + table).toList());
      session.execute(List.of("DROP TABLE " + Schema.MARK));
    }
    for (String table : Schema.tables()) {
      if (session.hasTable(table)) {
        throw new IOException(
            "there is a table "
                + table
                + " that is not of this benchmark; name another database or schema");
      }
    }
    session.execute(List.of(Schema.createMark(database, distribution)));
    session.changeOne(
        "INSERT INTO " + Schema.MARK + " (warehouses, scale, seed, finished) VALUES (?, ?, ?, 0)",
        population.warehouses(),
        population.scale(),
        seed);
    session.commit();
    session.execute(Schema.create(database, distribution));
  }

  /** Notes that the load has come to its end. */
  static void end(Session session) throws SQLException {
    session.changeOne("UPDATE " + Schema.MARK + " SET finished = 1");
    session.commit();
  }
}

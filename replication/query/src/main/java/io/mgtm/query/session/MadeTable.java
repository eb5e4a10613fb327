package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.CreateAs;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Rows;
import java.nio.charset.Charset;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads what CREATE TABLE AS has made at the leader, in the transaction that has made it: the
 * definition of the table, and its rows as texts, which the others are given by INSERT. Belongs to
 * a session.
 */
final class MadeTable {
  /** Values of these types may have texts that are read as others elsewhere, or by none. */
  private static final String ODD =
      "t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace AND (t.typname LIKE 'reg%' OR"
          + " t.typname IN ('aclitem', 'gtsvector', 'pg_brin_bloom_summary',"
          + " 'pg_brin_minmax_multi_summary', 'pg_dependencies', 'pg_mcv_list', 'pg_ndistinct',"
          + " 'pg_node_tree'))";

  /** What a query gives of a domain need not fulfil it, as after an outer join. */
  private static final String CHECKED =
      "t.typtype = 'd' AND (t.typnotnull OR EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE"
          + " k.contypid = t.oid))";

  /** The first column's type of which rows are not given to others, or what it is made of. */
  private static final String REFUSED_TYPE =
      "(WITH RECURSIVE y AS (SELECT a.atttypid AS type FROM pg_catalog.pg_attribute a WHERE"
          + " a.attrelid = c.oid AND a.attnum > 0 UNION SELECT x.type FROM y JOIN"
          + " pg_catalog.pg_type t ON t.oid = y.type CROSS JOIN LATERAL (SELECT t.typelem UNION ALL"
          + " SELECT t.typbasetype UNION ALL SELECT p.atttypid FROM pg_catalog.pg_attribute p WHERE"
          + " p.attrelid = t.typrelid AND p.attnum > 0 AND NOT p.attisdropped UNION ALL SELECT"
          + " r.rngsubtype FROM pg_catalog.pg_range r WHERE t.oid IN (r.rngtypid, r.rngmultitypid))"
          + " x(type)) SELECT pg_catalog.min(pg_catalog.format_type(t.oid, NULL)) FROM y JOIN"
          + " pg_catalog.pg_type t ON t.oid = y.type WHERE "
          + ODD
          + " OR "
          + CHECKED
          + ")";

  private static final String NAME =
      "pg_catalog.concat('\"', pg_catalog.replace(a.attname::pg_catalog.text, '\"', '\"\"'), '\"')";

  private static final String COLLATION =
      "(SELECT pg_catalog.concat(' COLLATE ', pg_catalog.quote_ident(s.nspname), '.',"
          + " pg_catalog.quote_ident(o.collname)) FROM"
          + " pg_catalog.pg_collation o JOIN pg_catalog.pg_namespace s ON s.oid = o.collnamespace"
          + " WHERE o.oid = a.attcollation AND a.attcollation <> y.typcollation)";

  /**
   * Its schema, its columns, their names, a type that is refused, whether it may be written to, and
   * whether a column is of the type of a temporary table.
   */
  private static final String READ =
      "SELECT n.nspname, (SELECT pg_catalog.string_agg(pg_catalog.concat("
          + NAME
          + ", ' ', pg_catalog.format_type(a.atttypid, a.atttypmod), "
          + COLLATION
          + "), ', ' ORDER BY a.attnum) FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON"
          + " y.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0), (SELECT"
          + " pg_catalog.string_agg("
          + NAME
          + ", ', ' ORDER BY a.attnum) FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND"
          + " a.attnum > 0), "
          + REFUSED_TYPE
          + ", pg_catalog.has_table_privilege(c.oid, 'INSERT'), EXISTS (SELECT FROM"
          + " pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid WHERE"
          + " a.attrelid = c.oid AND y.typnamespace = pg_catalog.pg_my_temp_schema()) FROM pg_catalog.pg_class c JOIN"
          + " pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = ";

  private final ReplicatedSession session;
  private final Backend leader;
  private final CreateAs made;
  private final String text;
  private final long count;
  private final Runnable lost;
  private final Effects rows;
  private String definition;

  /**
   * What reads.
   *
   * @param text of the statement
   * @param tag with which the leader has answered it
   * @param lost called when the leader is out before it has answered
   */
  MadeTable(ReplicatedSession session, CreateAs made, String text, String tag, Runnable lost) {
    this.session = session;
    this.leader = session.set().home();
    this.made = made;
    this.text = text;
    this.count = CreateAs.rows(tag);
    this.lost = lost;
    this.rows = new Effects(charset());
  }

  private Charset charset() {
    return session.planner().charset();
  }

  /** What makes the table without its rows. */
  String definition() {
    return definition;
  }

  /** What fills it. */
  Effects rows() {
    return rows;
  }

  /** Reads all; {@code then} is told why the others cannot be given it, or null. */
  void read(Consumer<ErrorFields> then) {
    String schema =
        made.schema() == null ? "pg_catalog.current_schema()" : Quoting.literal(made.schema());
    leader.hold(true);
    leader.ask(
        READ + Quoting.literal(made.table()) + " AND n.nspname = " + schema,
        charset(),
        Answer.rows(
            charset(),
            (found, error) -> {
              ErrorFields why = error == null ? take(found) : error;
              if (why != null || count == 0) {
                then.accept(why);
              } else {
                readRows(found.get(0), then);
              }
            },
            lost));
  }

  private ErrorFields take(List<List<String>> found) {
    if (found.size() != 1 || found.get(0).get(1) == null) {
      return refusal("it has no columns").withHint("CREATE TABLE, then INSERT … SELECT.");
    }
    List<String> table = found.get(0);
    if (table.get(5).equals("t")) {
      return refusal("a column is of the type of a temporary table")
          .withHint("Name the columns of that table.");
    }
    definition = made.definition(text, target(table), table.get(1));
    if (count > 0 && table.get(3) != null) {
      return refusal("it has values of the type " + table.get(3))
          .withHint("Cast them to text, or to the type that a domain is of.");
    }
    if (count > 0 && !table.get(4).equals("t")) {
      return refusal("its owner may not insert into it").withHint("Grant it by default.");
    }
    return count > max() / Effects.ITEM_BYTES ? AwaitedRun.TOO_MANY_ROWS : null;
  }

  private static ErrorFields refusal(String why) {
    return ErrorFields.error("0A000", "the table that this makes cannot be made elsewhere: " + why);
  }

  private String target(List<String> table) {
    return Quoting.name(table.get(0)) + "." + Quoting.name(made.table());
  }

  private int max() {
    return session.shared().config().limits().messageBytesMax();
  }

  private void readRows(List<String> table, Consumer<ErrorFields> then) {
    StringBuilder insert = new StringBuilder("INSERT INTO " + target(table));
    insert.append(" (").append(table.get(2)).append(") VALUES (");
    // A table of that name may have had columns of other types: no statement of before is used.
    RowsAnswer answer = new RowsAnswer(insert, then);
    leader.hold(true);
    leader.ask("SELECT * FROM ONLY " + target(table), charset(), answer);
  }

  /** Takes the rows, as far as they may be held. */
  private final class RowsAnswer implements Answer {
    private final StringBuilder insert;
    private final Consumer<ErrorFields> then;
    private Prepared effect;
    private ErrorFields error;

    RowsAnswer(StringBuilder insert, Consumer<ErrorFields> then) {
      this.insert = insert;
      this.then = then;
    }

    @Override
    public void take(Frame frame) {
      if (frame.type() == 'E') {
        error = ErrorFields.read(frame.body());
      } else if (frame.type() == 'D' && rows.bytes() <= max()) {
        var values = Rows.values(frame.body());
        if (effect == null) {
          effect = effect(values.size());
        }
        rows.captured(effect, values);
      }
      frame.release();
    }

    private Prepared effect(int columns) {
      for (int i = 1; i <= columns; i++) {
        insert.append(i == 1 ? "$" : ", $").append(i);
      }
      return Prepared.effect(Prepared.OWN + "made", insert.append(')').toString());
    }

    @Override
    public void ready(char status) {
      if (error == null && rows.bytes() > max()) {
        error = AwaitedRun.TOO_MANY_ROWS;
      } else if (error == null && rows.size() != count) {
        error = refusal("it has %d rows, and not %d".formatted(rows.size(), count));
      }
      then.accept(error);
    }

    @Override
    public void lost() {
      lost.run();
    }
  }
}

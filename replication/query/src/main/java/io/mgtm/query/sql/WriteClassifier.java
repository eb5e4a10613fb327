package io.mgtm.query.sql;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Tells the class of an INSERT, UPDATE or DELETE: whether its rows, or even its text, tell all that
 * it does. Immutable.
 */
final class WriteClassifier {
  static final String TEMPORARY_VIEW = "it may be of a temporary view, which may call functions";

  private final Catalogue catalogue;
  private final Temporaries temporaries;
  private final Purity purity;

  WriteClassifier(Catalogue catalogue, Temporaries temporaries, Purity purity) {
    this.catalogue = catalogue;
    this.temporaries = temporaries;
    this.purity = purity;
  }

  /** The class of what may write to any table, so that its rows are captured. */
  Classification captured(List<Token> tokens, String why) {
    String not = purity.whyNotToldByRows(tokens);
    return not == null ? StatementClass.CAPTURED.because(why) : StatementClass.REFUSED.because(not);
  }

  /** The class of one, by its first word. */
  Classification classify(List<Token> tokens) {
    WriteTarget target = WriteTarget.of(tokens);
    if (target == null) {
      return StatementClass.UNKNOWN.because(
          "it is no " + tokens.get(0).text() + " that is understood");
    }
    Classification one = written(tokens, target);
    return one.statementClass() == StatementClass.CAPTURED
        ? captured(assignments(tokens, target), one.why())
        : one;
  }

  /** The class of a MERGE. */
  Classification merge(List<Token> tokens) {
    int at = Token.isWordAt(tokens, 2, "only") ? 3 : 2;
    TableName name = TableName.at(tokens, at);
    Classification captured = captured(tokens, "merge may write to any table");
    // In its actions INSERT stands before a list of columns, which looks like a call.
    List<Token> rest =
        tokens.subList(Math.min(name.last() + 1, tokens.size()), tokens.size()).stream()
            .filter(t -> !t.isWord("insert") || catalogue.suspects().contains("insert"))
            .toList();
    return temporaries.at(name, tokens) == null
        ? captured
        : temporary(name, tokens, rest, captured);
  }

  /** The class of what writes to a temporary relation, and may write elsewhere too. */
  private Classification temporary(
      TableName name, List<Token> tokens, List<Token> rest, Classification captured) {
    boolean alone =
        temporaries.at(name, tokens).table()
            && !temporaries.mayRunCode(rest)
            && purity.whyNotRowsOnly(rest) == null;
    return alone
        ? StatementClass.TEMPORARY.because("temporary tables are the leader server's")
        : captured;
  }

  private Classification written(List<Token> tokens, WriteTarget target) {
    if (temporaries.isOf(target.table(), tokens) || temporaries.mayBeOf(target.table(), tokens)) {
      Classification captured = StatementClass.CAPTURED.because("it may write to other tables");
      boolean one = temporaries.at(target.table(), tokens) != null && isOne(tokens, target);
      return one
          ? temporary(target.table(), tokens, assignments(tokens, target), captured)
          : captured;
    }
    Catalogue.Table table = target.table().in(catalogue, tokens);
    if (table == null) {
      return StatementClass.CAPTURED.because("its target is no table that one name alone tells of");
    }
    Classification bad = whyNotRows(tokens, target, table);
    if (bad != null) {
      return bad;
    }
    String more = whyMoreThanRows(tokens, target, table);
    boolean columns = table.writes() == Catalogue.Writes.COLUMNS;
    if (more != null && !columns) {
      return StatementClass.CHECKED_ROWS.because(more);
    }
    KeyLocal grammar = new KeyLocal(table, tokens, target.table().last() + 1);
    boolean keyLocal =
        more == null
            && !temporaries.areNamed(tokens)
            && (columns || table.writes() == Catalogue.Writes.PLAIN)
            && !target.only()
            && switch (target.verb()) {
              case "insert" -> grammar.isInsert();
              case "update" -> grammar.isUpdate();
              default -> grammar.isWhereKey();
            };
    if (!keyLocal && columns) {
      return StatementClass.CAPTURED.because(
          "roles are granted some columns of the table, and may not write whole rows elsewhere");
    }
    if (!keyLocal && table.linked()) {
      return StatementClass.LINKED_ROWS.because("its rows refer to others of the table");
    }
    return keyLocal
        ? StatementClass.KEY_LOCAL.because("the same text does the same to the rows of its keys")
        : StatementClass.ROWS.because(
            "it writes rows of " + tokens.get(target.table().last()).text() + " only");
  }

  /** Why it may write more than rows of its table, or null. */
  private String whyMoreThanRows(List<Token> tokens, WriteTarget target, Catalogue.Table table) {
    if (temporaries.mayRunCode(tokens)) {
      return TEMPORARY_VIEW;
    }
    return table.isRowsOnly()
        ? purity.whyNotRowsOnly(assignments(tokens, target))
        : "its triggers, or what its foreign keys act on, may write more than its rows";
  }

  /** The class when its rows do not tell what it does, or null. */
  private Classification whyNotRows(List<Token> tokens, WriteTarget target, Catalogue.Table table) {
    if (Token.hasName(tokens, Words.SYSTEM_COLUMNS)) {
      return StatementClass.REFUSED.because("system columns differ between servers");
    }
    if (table.writes() == Catalogue.Writes.ANYTHING) {
      return StatementClass.CAPTURED.because(
          "the table has rules, partitions, row security, checks that read the clock, or triggers that"
              + " fire at COMMIT or always");
    }
    if (table.columns().isEmpty()) {
      return StatementClass.REFUSED.because("the table has no columns");
    }
    boolean insert = target.verb().equals("insert");
    boolean upserts = insert && upserts(tokens);
    if (!insert && table.key().isEmpty()) {
      return StatementClass.REFUSED.because(target.verb() + " of a table without a primary key");
    }
    if (table.key().stream().anyMatch(column -> table.columns().get(column).generated())) {
      return StatementClass.CAPTURED.because("its primary key is computed from other columns");
    }
    if (!isOne(tokens, target)) {
      return StatementClass.CAPTURED.because("a part of it may write too");
    }
    if (upserts && table.key().isEmpty()) {
      return StatementClass.CAPTURED.because("ON CONFLICT DO UPDATE without a primary key");
    }
    if (SetClause.targets(tokens).stream().anyMatch(table.key()::contains)) {
      return StatementClass.CAPTURED.because("it may change a primary key");
    }
    if (upserts && table.writes() == Catalogue.Writes.KEY_TRIGGERS) {
      return StatementClass.CAPTURED.because(
          "a trigger may change the key of a row that conflicts");
    }
    String why = purity.whyNotToldByRows(assignments(tokens, target));
    return why == null ? null : StatementClass.REFUSED.because(why);
  }

  /** Whether no part of it may write by itself. */
  private static boolean isOne(List<Token> tokens, WriteTarget target) {
    boolean insert = target.verb().equals("insert");
    long verbs =
        IntStream.range(0, tokens.size())
            .filter(i -> Words.isWrite(tokens.get(i)))
            .filter(i -> insert || !Purity.isLockAt(tokens, i))
            .count();
    return verbs <= (insert && upserts(tokens) ? 2 : 1);
  }

  private static boolean upserts(List<Token> tokens) {
    return Token.hasWord(tokens, "conflict") && Token.hasWord(tokens, "update");
  }

  /** Without INSERT's target, which before its list of columns looks like a call. */
  private static List<Token> assignments(List<Token> tokens, WriteTarget target) {
    if (!target.verb().equals("insert")) {
      return tokens;
    }
    int at = target.table().last() + 1;
    at += Token.isWordAt(tokens, at, "as") ? 2 : 0;
    return tokens.subList(Math.min(at, tokens.size()), tokens.size());
  }
}

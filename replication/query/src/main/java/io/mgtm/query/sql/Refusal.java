package io.mgtm.query.sql;

import java.util.regex.Pattern;

/**
 * What is told of a statement that is not run.
 *
 * @param hint what to do instead
 */
public record Refusal(String sqlState, String message, String hint) {
  private static final String STOPPED =
      "Stop the replicator, run it at each server, and start the replicator again.";

  private static final Pattern NO_TIMEOUT =
      Pattern.compile(".*transaction_timeout\"?\\s*(=|\\bto\\b)\\s*('?0'?|default)\\s*");

  /** Of what is not replicated. */
  public Refusal(String message, String hint) {
    this("0A000", message, hint);
  }

  /** Why a statement is not run, or null when it is. */
  public static Refusal of(Statement statement) {
    String why = statement.classification().why();
    return switch (statement.statementClass()) {
      case READ,
          COPY_TO,
          COPY_FROM,
          DDL,
          CREATE_AS,
          TEMPORARY,
          MAINTENANCE,
          UNPROVEN_READ,
          LEADER,
          KEY_LOCAL,
          ROWS,
          CHECKED_ROWS,
          LINKED_ROWS,
          CAPTURED ->
          null;
      case SESSION -> session(statement);
      case TRANSACTION ->
          TransactionCommand.of(statement.tokens()).verb() == TransactionCommand.Verb.UNSUPPORTED
              ? new Refusal(
                  "two-phase commit, AND CHAIN and isolation level SERIALIZABLE are not replicated",
                  "Use COMMIT, and isolation level READ COMMITTED or REPEATABLE READ.")
              : null;
      case REFUSED -> new Refusal("it would make the servers differ: " + why, refused(statement));
      case UNKNOWN ->
          new Refusal(
              "what this would do is not known: " + why, "Send plain statements. Or: " + STOPPED);
    };
  }

  private static String refused(Statement statement) {
    String verb = statement.word(0);
    if (statement.classification().why().startsWith(Purity.THE_FUNCTION)) {
      return "Leave the function out. Name sequences by constants: nextval('s').";
    }
    if (statement.classification().why().equals(Classifier.LARGE_OBJECTS)) {
      return "Keep the data in a column of type bytea.";
    }
    if (statement.classification().why().equals(TemporaryDdl.MIXED)) {
      return "Name temporary tables by themselves, and others with their schemas.";
    }
    if (statement.classification().why().equals(RoleDdl.PLAIN)) {
      return "Give it encrypted by SCRAM-SHA-256, as \\password of psql does.";
    }
    if (verb.equals("set") && statement.has("constraints")) {
      return "SET CONSTRAINTS ALL.";
    }
    if (verb.equals("truncate")) {
      return "Name all tables, and use DELETE for those with triggers.";
    }
    boolean query =
        verb.equals("create")
            && statement.has("as")
            && statement.has("table")
            && !statement.has("view")
            && !statement.has("unlogged");
    if (query || verb.equals("select") || verb.equals("with")) {
      return "CREATE TABLE … AS … WITH NO DATA, then INSERT … SELECT, each in a transaction of its own.";
    }
    if (verb.equals("copy")) {
      return "Copy values for every column into a table without triggers; or use INSERT.";
    }
    if (verb.equals("vacuum")) {
      return "VACUUM without FULL. Or: " + STOPPED;
    }
    return Words.DDL.contains(verb)
        ? "Leave the schema's rows to UPDATE, and its values constant. Or: " + STOPPED
        : "Give the table a primary key, and name rows by it; set with SET.";
  }

  /** The others name time zones by abbreviations, which are not the same everywhere. */
  private static boolean isIso(String text) {
    String style = text.toLowerCase(java.util.Locale.ROOT);
    return !style.contains("sql") && !style.contains("postgres") && !style.contains("german");
  }

  private static Refusal session(Statement statement) {
    if (statement.word(0).equals("prepare")) {
      return new Refusal(
          "statements prepared by SQL are not replicated",
          "Prepare by the protocol, as drivers do.");
    }
    boolean set = statement.word(0).equals("set");
    boolean isolation =
        statement.has("isolation")
            || statement.has("default_transaction_isolation")
            || statement.has("transaction_isolation");
    String text = statement.text().toLowerCase(java.util.Locale.ROOT);
    // A backslash may hide it, and no level has one.
    if (set && isolation && (text.contains("serializable") || text.contains("\\"))) {
      return new Refusal(
          "isolation level SERIALIZABLE is not replicated",
          "Use READ COMMITTED or REPEATABLE READ.");
    }
    if (set && statement.has("datestyle") && !isIso(statement.text())) {
      return new Refusal(
          "the replicator relies on dates of style ISO",
          "Set their order alone, as in 'ISO, DMY'.");
    }
    if (set && statement.has("transaction_timeout") && !NO_TIMEOUT.matcher(text).matches()) {
      return new Refusal(
          "transaction_timeout would end a transaction that is decided",
          "Use statement_timeout and idle_in_transaction_session_timeout.");
    }
    boolean own =
        statement.has("extra_float_digits")
            || statement.has("array_nulls")
            || statement.has("transform_null_equals")
            || statement.has("lc_monetary")
            || statement.has("xmloption")
            || (statement.has("xml") && statement.has("option"))
            || statement.has("session_replication_role")
            || statement.has("transaction_read_only");
    return set && own
        ? new Refusal("the replicator relies on this setting", "Leave it as it is.")
        : null;
  }
}

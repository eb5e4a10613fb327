package io.mgtm.query.sql;

import java.util.Locale;
import java.util.Set;

/**
 * What is told of a statement that is not run.
 *
 * @param hint what to do instead
 */
public record Refusal(String sqlState, String message, String hint) {
  private static final String STOPPED =
      "Stop the replicator, run it at each server, and start the replicator again.";

  private static final Refusal DATES =
      new Refusal(
          "the replicator relies on dates of style ISO",
          "Set their order alone, as in 'ISO, DMY'.");

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
          EXECUTE,
          OWN,
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
          TransactionCommand.of(statement).verb() == TransactionCommand.Verb.UNSUPPORTED
              ? new Refusal(
                  "a prepared transaction is named by a constant without escapes",
                  "PREPARE TRANSACTION 'name'.")
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
      return "Leave the function out.";
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
    if (statement.classification().why().equals(Setting.NOT_PLAIN)) {
      return "SELECT set_config('search_path', $1, false), with constants and parameters alone. Or: SET.";
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
    String style = text.toLowerCase(Locale.ROOT);
    return !style.contains("sql")
        && !style.contains("postgres")
        && !style.contains("german")
        && !style.contains("\\");
  }

  private static Refusal session(Statement statement) {
    if (!statement.word(0).equals("set")) {
      return null;
    }
    if (names(statement, Set.of("datestyle")) && !isIso(statement.text())) {
      return DATES;
    }
    if (statement.has("xml") && statement.has("option")) {
      return reliedOn("xmloption");
    }
    return FixedSetting.ALL.stream()
        .filter(fixed -> names(statement, Set.of(fixed.name())))
        .filter(
            fixed ->
                !fixed.allows(Setting.value(statement.text(), statement.tokens(), fixed.name())))
        .findFirst()
        .map(fixed -> reliedOn(fixed.name()))
        .orElse(null);
  }

  /** Names of settings are the same in upper case. */
  private static boolean names(Statement statement, Set<String> settings) {
    return statement.tokens().stream()
        .anyMatch(
            token -> token.isName() && settings.contains(token.text().toLowerCase(Locale.ROOT)));
  }

  /**
   * Why {@code set_config} does not set something, or null when it does.
   *
   * @param value null for NULL, and for what is not known
   */
  public static Refusal of(String setting, String value) {
    String name = setting.toLowerCase(Locale.ROOT);
    String to = value == null ? "" : value.toLowerCase(Locale.ROOT);
    if (name.startsWith("transaction_") && !name.equals("transaction_timeout")) {
      return new Refusal(name + " is not set by a function", "SET TRANSACTION.");
    }
    if (name.equals("datestyle") && (value == null || !isIso(to))) {
      return DATES;
    }
    return FixedSetting.ALL.stream()
            .anyMatch(fixed -> fixed.name().equals(name) && !fixed.allows(to))
        ? reliedOn(name)
        : null;
  }

  private static Refusal reliedOn(String setting) {
    return setting.equals("transaction_timeout")
        ? new Refusal(
            "transaction_timeout would end a transaction that is decided",
            "Use statement_timeout and idle_in_transaction_session_timeout.")
        : new Refusal("the replicator relies on " + setting, "Leave it as it is.");
  }
}

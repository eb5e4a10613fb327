package io.mgtm.query.suite;

import java.util.Arrays;
import java.util.regex.Pattern;

/** Why statements are refused, in the words of docs/query.md; the first that fits is it. */
enum Reason {
  KEY(
      "UPDATE or DELETE without a primary key, INSERT into a table without columns",
      "(update|delete) of a table without a primary key|which has no primary key"
          + "|the table has no columns"),
  INHERITS("INHERITS and OF", "lets another one inherit|has the word (inherit|of\\b)"),
  FUNCTIONS(
      "functions in other languages than SQL and PL/pgSQL, or named like PostgreSQL's own",
      "its language is not|it has no body|PostgreSQL's own has the name"
          + "|no function that is|has the word (support|transform|window|depends|schema)\\b"),
  ROLES(
      "roles with passwords that are not encrypted, and their settings",
      "salt of its own|has the word (set|reset|rename|all|add|drop|(no)?inherit|(no)?superuser|(no)?bypassrls)\\b"),
  TEMPORARY(
      "what names temporary tables and others, or pg_temp for what is no table; temporary tables that inherit, or that COMMIT empties with foreign keys",
      "temporary table|COMMIT may fail by foreign keys"),
  QUERY(
      "CREATE TABLE AS, SELECT INTO, materialized views",
      "makes rows from a query|cannot be made elsewhere|a materialized|what refresh does"
          + "|it has the word into"),
  CODE(
      "CREATE and ALTER of rules, operators, aggregates, casts, policies, databases, extensions and the like; ALTER DOMAIN",
      "it (makes|drops|alters) |it creates several|has the word (trigger|rule|row)\\b"
          + "|what (cluster|reindex|security|import|reassign) does|a type that runs code"
          + "|of the schema does not hold|SESSION_USER|triggers of such names"),
  VALUES(
      "ALTER TABLE that computes values: identities of new columns, defaults that call functions, functions in CHECK and in keys of partitions",
      "has the word (identity|current_user|serial|current_timestamp)|it calls |free of effects|may be read as of the moment|name the moment"
          + "|no ALTER TABLE that is understood|what it would do with|may make a text"),
  CONCURRENTLY("CREATE INDEX CONCURRENTLY", "CONCURRENTLY"),
  UNLOGGED("UNLOGGED tables", "emptied tables that are not logged|word unlogged"),
  FULL("VACUUM FULL; VACUUM and ANALYZE in a transaction", "VACUUM FULL|runs outside of transac"),
  VIEWS("views whose query is not provably a read", "who reads the view may write"),
  TRUNCATE(
      "TRUNCATE CASCADE, and of tables with triggers of TRUNCATE",
      "it has a table that has triggers|CASCADE may reach"),
  LARGE("functions that write large objects", "large objects|function calls by number"),
  FILES("COPY FROM and TO a file or program of the server", "COPY of a file or program"),
  COPIED(
      "COPY of what may write, or into what is no table with columns of known types",
      "the table has no column|its target is|table has triggers, rules|COPY without FROM"
          + "|\\S+ may run code of users"),
  PREPARED(
      "EXECUTE of what is no constant, or is not prepared", "EXECUTE is given|prepared statement"),
  CURSORS("cursors of what may write", "a cursor "),
  NUMBERS(
      "checks, generated columns and partitions by hash that compute something of numbers which are each server's own; defaults that do more than to give a value",
      "each server's own|a hash of its key|does what its rows do not tell"),
  TRANSACTIONS(
      "PREPARE TRANSACTION and SERIALIZABLE with what the leader alone can keep",
      "a transaction is not prepared|cannot PREPARE|not known any more how"),
  UNICODE("U&'…' and U&\"…\"", "Unicode escapes"),
  SETTINGS(
      "settings that the replicator relies on: DateStyle, standard_conforming_strings and others",
      "relies on|standard_conforming_strings|set_config"),
  COLUMNS("ctid, xmin and their like in writes", "system columns"),
  SCHEMA(
      "class C in a transaction that has changed the schema; functions and DO that change the schema or settings",
      "changed the schema|changed the role or a setting|\\S+ in a read-only transaction"
          + "|what its rows do not tell"),
  CHANGED(
      "a write that was waiting while the schema was changed",
      "the schema was changed while the statement ran"),
  RIGHT(
      "writes and sequences of a role that lacks a right to write them elsewhere",
      "the right is missing|may not be set elsewhere"),
  PROCEDURES("procedures with COMMIT or ROLLBACK in them", "invalid transaction termination"),
  SIZE("more rows of a statement than are held", "more rows than are held"),
  SYNTAX(
      "what PostgreSQL refuses as well, by another text, or what no rule is for",
      "cannot read this statement|what this would do is not known"),
  OTHER("others", "");

  private final String name;
  private final Pattern message;

  Reason(String name, String message) {
    this.name = name;
    this.message = Pattern.compile(message);
  }

  static Reason of(String message) {
    return Arrays.stream(values())
        .filter(one -> one.message.matcher(message).find())
        .findFirst()
        .orElse(OTHER);
  }

  /** As a page has it. */
  String text() {
    return name;
  }
}

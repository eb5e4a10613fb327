package io.mgtm.query.sql;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is known of a database. Of functions, operators and suspects by names without their schemas:
 * a name that means something harmful in any schema is harmful in all. Immutable.
 *
 * @param pureFunctions names of functions all of which are PostgreSQL's own and not volatile
 * @param builtinFunctions names of functions all of which are PostgreSQL's own
 * @param pureOperators names of operators all of which are PostgreSQL's own and not volatile
 * @param suspects names of what runs code of users where it is named: their functions, views,
 *     foreign tables, tables with row security, domains
 * @param sequences their names; each server's are where that server is
 * @param tables by name, of each schema that has one
 * @param hasUserSyntax whether a cast, or an operator that a key word stands for, runs a function
 *     that is not PostgreSQL's own; nothing is then provable
 * @param hasEventTriggers whether changes of the schema run code of users
 */
public record Catalogue(
    Set<String> pureFunctions,
    Set<String> builtinFunctions,
    Set<String> pureOperators,
    Set<String> suspects,
    Set<String> sequences,
    Map<String, List<Table>> tables,
    boolean hasUserSyntax,
    boolean hasEventTriggers) {

  /**
   * A table.
   *
   * @param schema it is in
   * @param columns by name, in their order
   * @param key the columns of the primary key, empty when there is none
   * @param writes what a statement that writes to it does
   * @param linked whether its rows refer to others of it, so that those of one statement can only
   *     be written together
   * @param copied whether data that are copied into it are rows of it, and do nothing else
   * @param emptied whether TRUNCATE of it does nothing but to empty it and what inherits from it
   */
  public record Table(
      String schema,
      Map<String, Column> columns,
      List<String> key,
      Writes writes,
      boolean linked,
      boolean copied,
      boolean emptied) {
    public Table {
      columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
      key = List.copyOf(key);
    }

    /** Whether what a statement writes to it is only rows of it. */
    boolean isRowsOnly() {
      return writes == Writes.PLAIN || writes == Writes.COLUMNS || writes == Writes.ROWS;
    }
  }

  /** What a statement that writes to a table does. */
  public enum Writes {
    /**
     * It writes the rows that it names: the table is an ordinary one without triggers, rules,
     * inheritance, generated columns, checks, and actions of foreign keys.
     */
    PLAIN,
    /**
     * What PLAIN does, but a role may be allowed to write to some columns only, and not a whole row
     * of it.
     */
    COLUMNS,
    /** It writes rows of the table alone, which has no triggers, no rules, and no code of users. */
    ROWS,
    /** The same, and what its triggers do, or those of tables behind its foreign keys. */
    TRIGGERS,
    /** The same, and they may change the key of a row that is updated. */
    KEY_TRIGGERS,
    /**
     * Anything: the table is a view, partitioned, foreign, or has rules, row security, or triggers
     * that fire late or always.
     */
    ANYTHING
  }

  /**
   * A column.
   *
   * @param exact whether its type reads a constant in the same way everywhere and at any time
   * @param integer whether its type is smallint, integer or bigint
   * @param fill what it holds when no value is given
   * @param generated whether its value is computed from others and cannot be given
   * @param input how its type reads values that come as data
   */
  public record Column(boolean exact, boolean integer, Fill fill, boolean generated, Input input) {
    /** Whether it has a default, or is an identity. */
    boolean hasDefault() {
      return fill != Fill.NULL;
    }
  }

  /** What a column holds when no value is given. */
  public enum Fill {
    NULL,
    /** The same value always and everywhere. */
    CONSTANT,
    /** What an expression or a sequence gives. */
    COMPUTED
  }

  /** How a type reads values that come as data. */
  public enum Input {
    /** In the same way everywhere and at any time. */
    SAME,
    /** The same, but for words such as now. */
    CLOCK,
    /** By numbers that differ between servers, or by code of users. */
    OTHER
  }

  /**
   * The table of that name, or null when it is not known which that is.
   *
   * @param schema null where the name is without one, and may be looked for in several
   */
  Table table(String schema, String name) {
    List<Table> named = tables.getOrDefault(name, List.of());
    if (schema == null) {
      return named.size() == 1 ? named.get(0) : null;
    }
    return named.stream().filter(one -> one.schema().equals(schema)).findFirst().orElse(null);
  }

  public Catalogue {
    pureFunctions = Set.copyOf(pureFunctions);
    builtinFunctions = Set.copyOf(builtinFunctions);
    pureOperators = Set.copyOf(pureOperators);
    suspects = Set.copyOf(suspects);
    tables = Map.copyOf(tables);
  }
}

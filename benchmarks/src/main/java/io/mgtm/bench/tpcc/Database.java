package io.mgtm.bench.tpcc;

import io.mgtm.common.Cli;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Properties;
import picocli.CommandLine.ITypeConverter;

/** What differs between the databases: types of columns, where rows lie, errors to try again. */
enum Database {
  POSTGRESQL("postgresql", "jdbc:postgresql:") {
    @Override
    void configure(Properties driver, int statementS) {
      driver.setProperty("connectTimeout", Integer.toString(CONNECT_S));
      driver.setProperty("socketTimeout", Integer.toString(statementS));
      driver.setProperty("reWriteBatchedInserts", "true");
    }
  },

  MARIADB("mariadb", "jdbc:mariadb:") {
    @Override
    String timestamp() {
      return "datetime";
    }

    @Override
    String analyze(String table) {
      return "ANALYZE TABLE " + table;
    }

    @Override
    void configure(Properties driver, int statementS) {
      driver.setProperty("connectTimeout", Integer.toString(CONNECT_S * 1_000));
      driver.setProperty("socketTimeout", Integer.toString(statementS * 1_000));
    }

    @Override
    boolean isConflict(SQLException e) {
      return super.isConflict(e) || e.getErrorCode() == LOCK_WAIT || e.getErrorCode() == CHANGED;
    }
  },

  POSTGRES_XC("postgres-xc", "jdbc:postgresql:") {
    @Override
    void configure(Properties driver, int statementS) {
      POSTGRESQL.configure(driver, statementS);
      // A coordinator hands on a datanode's rows as they are, which is text, to a client that has
      // asked for binary values.
      driver.setProperty("binaryTransfer", "false");
    }

    @Override
    String placed(Distribution distribution, String column) {
      return column == null || distribution == Distribution.REPLICATION
          ? " DISTRIBUTE BY REPLICATION"
          : " DISTRIBUTE BY " + distribution.name() + " (" + column + ")";
    }
  };

  /** Reads its name in the options. */
  static final class Converter implements ITypeConverter<Database> {
    @Override
    public Database convert(String text) {
      return Cli.value(text, Database::named);
    }
  }

  /** How Postgres-XC spreads rows over its datanodes. */
  enum Distribution {
    HASH,
    MODULO,
    REPLICATION
  }

  private static final int CONNECT_S = 10;

  /** ER_LOCK_WAIT_TIMEOUT, whose SQLSTATE is a general one. */
  private static final int LOCK_WAIT = 1205;

  /** ER_CHECKREAD: the row has changed since the snapshot. */
  private static final int CHANGED = 1020;

  private final String title;
  private final String scheme;

  Database(String title, String scheme) {
    this.title = title;
    this.scheme = scheme;
  }

  /** Its name in the options. */
  String title() {
    return title;
  }

  /** What the addresses of its driver begin with. */
  String scheme() {
    return scheme;
  }

  /** A column's type for a moment that nobody but us changes. */
  String timestamp() {
    return "timestamp";
  }

  /** Has the planner look at a table. */
  String analyze(String table) {
    return "ANALYZE " + table;
  }

  /**
   * The end of a CREATE TABLE.
   *
   * @param column the warehouse's number; null for a table that all warehouses share
   */
  String placed(Distribution distribution, String column) {
    return "";
  }

  /**
   * Sets the driver's properties: what it waits for, and how it sends and takes rows.
   *
   * @param statementS how long a statement may take, in seconds
   */
  abstract void configure(Properties driver, int statementS);

  /** Whether a transaction may succeed when it is tried again: it was in the way of another. */
  boolean isConflict(SQLException e) {
    return e.getSQLState() != null && e.getSQLState().startsWith("40");
  }

  /** By its name in the options. */
  static Database named(String name) {
    for (Database one : values()) {
      if (one.title.equals(name.toLowerCase(Locale.ROOT))) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "\"" + name + "\" is no database, expected postgresql, mariadb or postgres-xc");
  }
}

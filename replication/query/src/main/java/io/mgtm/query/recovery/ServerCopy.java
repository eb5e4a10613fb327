package io.mgtm.query.recovery;

import io.mgtm.common.HostPort;
import io.mgtm.query.catalogue.SchemaLock;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.session.Shared;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies to a new server what it has not: roles and databases of one that is in, each database in
 * one transaction with its position. So a database with a position is whole, and is not copied
 * again. One thread, which waits.
 */
final class ServerCopy {
  private static final Logger log = LoggerFactory.getLogger(ServerCopy.class);

  private static final String SUPERUSER =
      "SELECT rolsuper FROM pg_roles WHERE rolname = current_user";

  /** Whether it has a position, and whether it has tables or the like. */
  private static final String HAS =
      "SELECT to_regclass('mgtm.position') IS NOT NULL, EXISTS (SELECT FROM pg_class c JOIN"
          + " pg_namespace n ON n.oid = c.relnamespace WHERE nspname NOT IN ('pg_catalog',"
          + " 'information_schema', 'pg_toast', 'mgtm'))";

  /** How lines of pg_dumpall begin that would make what is there. */
  private static final String THERE =
      "SELECT 'CREATE ROLE ' || quote_ident(rolname) || ';' FROM pg_roles UNION ALL"
          + " SELECT 'CREATE TABLESPACE ' || quote_ident(spcname) || ' ' FROM pg_tablespace";

  private static final String OWN = "SELECT 'ALTER ROLE ' || quote_ident(current_user) || ' WITH '";

  /** What a copy that was given up has left. */
  private static final String END_FORMER =
      "SELECT pg_terminate_backend(pid, %d) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
          + " AND usename = current_user AND datname IS NOT NULL";

  private final Shared shared;
  private final OwnRole role;
  private final Programs programs;
  private final HostPort from;
  private final int fromMajor;
  private final HostPort to;
  private final int toMajor;

  /** What a database has. */
  private record Has(boolean position, boolean tables) {}

  /**
   * Nothing is copied yet.
   *
   * @param toMajor the major version of {@code to}
   */
  ServerCopy(Shared shared, OwnRole role, Programs programs, Node from, HostPort to, int toMajor) {
    this.shared = shared;
    this.role = role;
    this.programs = programs;
    this.from = from.address();
    this.fromMajor = from.kind().major();
    this.to = to;
    this.toMajor = toMajor;
  }

  private List<List<String>> ask(HostPort at, String database, String sql) throws IOException {
    return Futures.await(role.ask(at, database, sql));
  }

  /**
   * The databases of a server.
   *
   * @throws IOException when it cannot be asked
   */
  List<String> databases(HostPort at) throws IOException {
    return ask(at, role.database(), PositionTable.DATABASES).stream()
        .map(row -> row.get(0))
        .toList();
  }

  private Has has(HostPort at, String database) throws IOException {
    List<String> row = ask(at, database, HAS).get(0);
    return new Has(row.get(0).equals("t"), row.get(1).equals("t"));
  }

  private boolean isSuperuser(HostPort at) throws IOException {
    return ask(at, role.database(), SUPERUSER).get(0).get(0).equals("t");
  }

  /**
   * Copies what is not there.
   *
   * @param tells what is done now
   * @return the databases that were copied
   * @throws IOException when it cannot be, or one has tables and no position
   */
  List<String> run(Consumer<String> tells) throws IOException {
    List<String> there = databases(to);
    List<String> missing = new ArrayList<>();
    for (String database : databases(from)) {
      if (isMissing(database, there)) {
        missing.add(database);
      }
    }
    boolean may = isSuperuser(to);
    if (missing.isEmpty() && !(may && !isSuperuser(from))) {
      return missing;
    }
    if (!may) {
      throw new IOException(
          "%s has no copy of %s: make it a copy of one that is in, or, to have it copied, let the"
                  .formatted(to, String.join(", ", missing))
              + " replicator's role be a superuser there meanwhile");
    }
    if (toMajor < fromMajor) {
      throw new IOException(
          "%s is PostgreSQL %d, and no server that is in is of that version or older: databases are"
                  .formatted(to, toMajor)
              + " not copied to an older version");
    }
    ask(to, role.database(), END_FORMER.formatted(shared.config().timeouts().applyMs()));
    tells.accept("roles are copied");
    String own = copyRoles();
    for (String database : missing) {
      tells.accept("the database " + database + " is copied");
      copy(database, !there.contains(database));
      log.info("The database {} was copied from {} to {}", database, from, to);
    }
    ask(to, role.database(), own);
    return missing;
  }

  private boolean isMissing(String database, List<String> there) throws IOException {
    if (!there.contains(database)) {
      return true;
    }
    Has has = has(to, database);
    Has all = has(from, database);
    if (has.position() || !(all.position() || all.tables())) {
      return false;
    }
    if (has.tables()) {
      throw new IOException(
          "the database %s at %s has tables, and no mgtm.position says what of: drop it, or make"
                  .formatted(database, to)
              + " the server a copy of one that is in");
    }
    return true;
  }

  /** What makes the own role there what it is elsewhere is given back: it is to be the last. */
  private String copyRoles() throws IOException {
    List<String> there = ask(to, role.database(), THERE).stream().map(row -> row.get(0)).toList();
    String own = ask(from, role.database(), OWN).get(0).get(0);
    List<String> lines = programs.globals(from).lines().toList();
    String sql =
        lines.stream()
            .filter(line -> !line.startsWith(own) && there.stream().noneMatch(line::startsWith))
            .collect(Collectors.joining("\n", "", "\n"));
    programs.execute(to, role.database(), sql);
    return lines.stream()
        .filter(line -> line.startsWith(own))
        .findFirst()
        .orElseThrow(() -> new IOException("pg_dumpall tells nothing of the replicator's role"));
  }

  private void copy(String database, boolean make) throws IOException {
    if (has(from, database).tables()) {
      // From here on what is written to it has a number.
      Futures.await(shared.positions().prepared(database));
    }
    SchemaLock.Holder held = shared.schemaLock().take(shared.config().timeouts().applyMs());
    try {
      programs.copy(from, to, toMajor, database, make);
    } finally {
      shared.schemaLock().leave(held);
    }
  }
}

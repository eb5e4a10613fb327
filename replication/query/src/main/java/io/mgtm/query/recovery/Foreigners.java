package io.mgtm.query.recovery;

import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.session.Shared;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds backends of clients that went round the replicator. Those of replicators are known by their
 * role and the name of their connections, which others may set, but not with that role. Any thread.
 */
public final class Foreigners {
  private static final String BACKENDS =
      "SELECT pid, coalesce(usename, ''), coalesce(datname, ''), coalesce(host(client_addr), 'local')"
          + " FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL"
          + " AND coalesce(backend_type, 'client backend') = 'client backend'"
          + " AND NOT (usename = current_user AND coalesce(application_name, '') LIKE '"
          + OwnRole.APPLICATION
          + "%')";

  private final Shared shared;
  private final OwnRole role;

  /** Those at the servers of all sessions, asked as the role. */
  public Foreigners(Shared shared, OwnRole role) {
    this.shared = shared;
    this.role = role;
  }

  /** One line for each; what began meanwhile may be among them. */
  public List<String> find() throws IOException {
    List<String> found = new ArrayList<>();
    for (Node node : shared.fleet().in()) {
      Set<Integer> ours = new HashSet<>();
      shared.sessions().all().forEach(session -> ours.addAll(session.backendsAt(node)));
      for (List<String> row : Futures.await(role.ask(node.address(), role.database(), BACKENDS))) {
        if (!ours.contains(Integer.parseInt(row.get(0)))) {
          found.add(
              "%s: backend %s of %s in %s from %s"
                  .formatted(node, row.get(0), row.get(1), row.get(2), row.get(3)));
        }
      }
    }
    return found;
  }
}

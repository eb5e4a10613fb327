package io.mgtm.query.recovery;

import io.mgtm.query.connection.Asker;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.SequenceBounds;
import io.mgtm.query.fleet.SequenceBounds.Drawn;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sets the sequences of a server that is to come in as far ahead of the leader's as {@link
 * SequenceBounds} would have. The leader's may be drawn from meanwhile: what is drawn before the
 * last copy is behind it, and the rest is not committed before the server is in. One thread.
 */
final class SequenceCopy implements AutoCloseable {
  /** Those that the own role may read and set, and what they have given last, if anything. */
  private static final String ALL =
      "SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), c.oid,"
          + " CASE WHEN has_sequence_privilege(s.seqrelid, 'SELECT') THEN pg_sequence_last_value(s.seqrelid)"
          + " END, s.seqincrement, s.seqmin, s.seqmax FROM pg_class c JOIN pg_namespace n"
          + " ON n.oid = c.relnamespace JOIN pg_sequence s ON s.seqrelid = c.oid WHERE"
          + " c.relpersistence <> 't' AND has_sequence_privilege(s.seqrelid, 'UPDATE')";

  private final OwnRole role;
  private final Node leader;
  private final Node node;
  private final Map<Node, Map<String, Asker>> askers;

  /** Of a server, from the one that leads now. */
  SequenceCopy(OwnRole role, Node leader, Node node) {
    this.role = role;
    this.leader = leader;
    this.node = node;
    this.askers = Map.of(leader, new HashMap<>(), node, new HashMap<>());
  }

  /** Whether that one leads still. */
  boolean isFrom(Node leads) {
    return leads == leader;
  }

  /** Copies those of some databases, over connections that stay for the next time. */
  void copy(Collection<String> databases, int withinMs) throws IOException {
    for (String database : databases) {
      List<List<String>> leaders = ask(leader, database, ALL, withinMs);
      List<List<String>> here = ask(node, database, ALL, withinMs);
      String sets = sets(database, leaders, here).collect(Collectors.joining("; "));
      if (!sets.isEmpty()) {
        ask(node, database, sets, withinMs);
      }
    }
  }

  private List<List<String>> ask(Node at, String database, String sql, int withinMs)
      throws IOException {
    Asker asker = askers.get(at).get(database);
    if (asker == null) {
      asker = Futures.await(role.enter(at.address(), database), withinMs);
      askers.get(at).put(database, asker);
    }
    return Futures.await(asker.ask(sql), withinMs);
  }

  /** What sets those that are not where they are to be. */
  private Stream<String> sets(String database, List<List<String>> leaders, List<List<String>> all) {
    Map<String, List<String>> here =
        all.stream().collect(Collectors.toMap(row -> row.get(0), row -> row));
    return leaders.stream()
        .filter(row -> row.get(2) != null && here.containsKey(row.get(0)))
        .map(row -> set(Drawn.of(leader, database, row, true), here.get(row.get(0))))
        .filter(Objects::nonNull);
  }

  private static String set(Drawn drawn, List<String> here) {
    String to = Long.toString(drawn.ahead());
    return to.equals(here.get(2))
        ? null
        : "SELECT setval(%s::regclass, %s)".formatted(here.get(1), to);
  }

  @Override
  public void close() {
    askers.values().forEach(all -> all.values().forEach(Asker::close));
  }
}

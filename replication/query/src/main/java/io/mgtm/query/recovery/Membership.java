package io.mgtm.query.recovery;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.ServerKind;
import io.mgtm.query.session.Shared;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a server one of the servers, and takes one off the list, while clients go on. Any thread;
 * calls wait, and one server is added at a time.
 */
public final class Membership implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Membership.class);

  /** No two servers were started in the same microsecond. */
  private static final String WHO =
      "SELECT pg_is_in_recovery(), extract(epoch FROM pg_postmaster_start_time()),"
          + " current_setting('server_version_num'), current_setting('max_connections')";

  /** By these a text is read as a value, or written, and texts are compared. */
  private static final String SETTINGS =
      "SELECT has FROM (SELECT name || ' ' || setting FROM pg_settings WHERE name IN ('TimeZone',"
          + " 'DateStyle', 'IntervalStyle', 'lc_monetary', 'track_counts') UNION ALL SELECT concat_ws("
          + "' ', 'encoding, collation and types', pg_encoding_to_char(encoding), lower(translate("
          + "concat_ws(' ', datcollate, datctype, 'of provider', datlocprovider,"
          + " to_jsonb(d) ->> 'daticulocale', to_jsonb(d) ->> 'datlocale'), '-_', '')))"
          + " FROM pg_database d WHERE datname ="
          + " current_database()) s (has) ORDER BY has COLLATE \"C\"";

  private final Shared shared;
  private final OwnRole role;
  private final Steward steward;
  private final Programs programs;
  private final AtomicReference<String> underWay = new AtomicReference<>("");

  /** That of the servers of all sessions; who is added is let in by the steward. */
  public Membership(Shared shared, OwnRole role, Steward steward) {
    this.shared = shared;
    this.role = role;
    this.steward = steward;
    this.programs = new Programs(shared.config(), role.application());
  }

  /** What is done now, or empty. */
  public String underWay() {
    return underWay.get();
  }

  /**
   * Makes a server one of the servers, or lets one in that is out: copies to it what it has not,
   * gives it what it misses, and compares its rows.
   *
   * @return the databases that were copied
   * @throws IOException when it cannot be; what was copied whole need not be copied again
   */
  public List<String> add(HostPort address) throws IOException {
    String begun = address + " is looked at";
    if (!underWay.compareAndSet("", begun)) {
      throw new IOException("a server is being added already: " + underWay.get());
    }
    try {
      Node known = shared.fleet().find(address);
      if (known == null && shared.fleet().nodes().size() >= QueryConfig.SERVERS_MAX) {
        throw new IOException("there are " + QueryConfig.SERVERS_MAX + " servers, which is most");
      }
      if (known != null && known.isIn()) {
        throw new IOException(address + " is one of the servers, and in");
      }
      int major = requireAnother(address);
      Node from = source(major);
      ServerCopy copy = new ServerCopy(shared, role, programs, from, address, major);
      List<String> copied = copy.run(what -> underWay.set(address + ": " + what));
      for (String database : copy.databases(from.address())) {
        requireSettings(address, database);
      }
      underWay.set(address + " is given what it misses, and compared");
      steward.bringIn(known == null ? Node.newcomer(address) : known);
      log.info("The server {} was added", address);
      return copied;
    } finally {
      underWay.set("");
    }
  }

  /** Which one is copied: the last that came in of those that are not newer, if there is one. */
  private Node source(int major) {
    List<Node> in = shared.fleet().in();
    return in.stream()
        .filter(node -> node.kind().major() <= major)
        .reduce((before, last) -> last)
        .orElse(in.get(in.size() - 1));
  }

  private List<String> who(HostPort address) throws IOException {
    return Futures.await(role.ask(address, role.database(), WHO)).get(0);
  }

  /** Of one that can hold what the others do, and is none of them by another name: its major. */
  private int requireAnother(HostPort address) throws IOException {
    List<String> mine = who(address);
    int major = ServerKind.major(mine.get(2));
    String refused = ServerKind.refusal(major);
    if (refused != null) {
      throw new IOException(address + " is not served: " + refused);
    }
    if (mine.get(0).equals("t")) {
      throw new IOException(address + " is a standby");
    }
    for (Node other : shared.fleet().in()) {
      List<String> theirs = who(other.address());
      if (mine.get(1).equals(theirs.get(1))) {
        throw new IOException(address + " is the server " + other + " by another name");
      }
      if (Integer.parseInt(mine.get(3)) < Integer.parseInt(theirs.get(3))) {
        throw new IOException(
            "max_connections is %s at %s, and %s at %s"
                .formatted(mine.get(3), address, theirs.get(3), other));
      }
    }
    return major;
  }

  private void requireSettings(HostPort address, String database) throws IOException {
    Node leader = shared.fleet().leader();
    List<List<String>> mine = Futures.await(role.ask(address, database, SETTINGS));
    List<List<String>> leaders = Futures.await(role.ask(leader.address(), database, SETTINGS));
    for (int i = 0; i < leaders.size(); i++) {
      if (!mine.get(i).equals(leaders.get(i))) {
        throw new IOException(
            "in the database %s, %s has %s, and the leader %s"
                .formatted(database, address, mine.get(i).get(0), leaders.get(i).get(0)));
      }
    }
  }

  /**
   * Takes a server off the list.
   *
   * @throws IOException when there is none of that address, or it must stay
   */
  public void remove(HostPort address) throws IOException {
    shared.fleet().remove(known(address), shared.config().serversMin());
  }

  /**
   * Lets another server lead.
   *
   * @throws IOException when it leads, is out, or the one that leads cannot be spared for a moment
   */
  public void promote(HostPort address) throws IOException {
    shared.fleet().promote(known(address), shared.config().serversMin());
  }

  private Node known(HostPort address) throws IOException {
    Node node = shared.fleet().find(address);
    if (node == null) {
      throw new IOException(address + " is none of the servers: " + shared.fleet().nodes());
    }
    return node;
  }

  @Override
  public void close() {
    programs.close();
  }
}

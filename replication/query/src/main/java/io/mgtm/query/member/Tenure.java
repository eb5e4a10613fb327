package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.catalogue.SchemaLock;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.connection.RoleDirectory;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.fleet.CommitGate;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.fleet.SequenceBounds;
import io.mgtm.query.fleet.ServerKind;
import io.mgtm.query.fleet.Slots;
import io.mgtm.query.fleet.SnapshotGate;
import io.mgtm.query.recovery.Membership;
import io.mgtm.query.recovery.Repair;
import io.mgtm.query.recovery.Sequences;
import io.mgtm.query.recovery.Steward;
import io.mgtm.query.session.OpenSession;
import io.mgtm.query.session.QueryMetrics;
import io.mgtm.query.session.Sessions;
import io.mgtm.query.session.Shared;
import io.mgtm.query.session.Spools;
import io.mgtm.query.session.TransactionLimit;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * What there is while this replicator orders: which servers are in, sessions, and what is known of
 * schemas and roles. The next one begins with nothing of it. Without a data folder it has no log
 * and no end. Its getters may be called by any thread.
 */
final class Tenure implements AutoCloseable {
  private final Shared shared;
  private final OwnRole own;
  private final Sequences sequences;
  private final RoleDirectory roles;
  private final Steward steward;
  private final Membership membership;
  private final Repair repair;
  private final ForwardKey forwardKey = ForwardKey.draw();

  /**
   * One that has not begun.
   *
   * @param loop of what the replicator asks for itself
   * @param commits the log of commits, or null without a data folder
   * @param spools null without a data folder
   * @param name tells it from other tenures of a group, or empty
   */
  Tenure(
      QueryConfig config,
      ServerDoor door,
      EventLoop loop,
      CommitLog commits,
      Spools spools,
      String name) {
    this.own = new OwnRole(config, loop, door, name);
    this.sequences = new Sequences(own, config.timeouts().applyMs());
    Sessions sessions = new Sessions();
    Slots slots = new Slots(config.limits().connectionsMax());
    Fleet fleet = new Fleet(config.servers(), commits, this::serverOut);
    TransactionLimit limit = new TransactionLimit(config.limits().transactionsMax());
    Supplier<HostPort> leader = () -> fleet.leader().address();
    this.shared =
        new Shared(
            config,
            fleet,
            limit,
            new CommitGate(),
            new SnapshotGate(),
            commits,
            commits == null ? null : new PositionTable(fleet, commits, own, slots),
            new SequenceBounds(fleet, sequences),
            slots,
            door,
            sessions,
            new Catalogues(own, leader, () -> ServerKind.leadsOlder(fleet.leader(), fleet.nodes())),
            spools,
            new SchemaLock(),
            new QueryMetrics(fleet, sessions, limit, commits));
    this.roles = new RoleDirectory(config, own, leader);
    this.steward = commits == null ? null : new Steward(shared, own, sequences, loop);
    this.membership = commits == null ? null : new Membership(shared, own, steward);
    this.repair = commits == null ? null : new Repair(shared, own, steward.verifier());
  }

  private void serverOut(Node node) {
    shared.sessions().serverOut(node);
    sequences.out(node);
  }

  /**
   * Takes the servers over, and begins to watch them; waits for it.
   *
   * @throws IOException when no server is there, or another replicator leads
   */
  void begin() throws IOException {
    if (steward != null) {
      steward.begin();
      shared.metrics().update();
    }
  }

  Shared shared() {
    return shared;
  }

  OwnRole own() {
    return own;
  }

  RoleDirectory roles() {
    return roles;
  }

  Sessions sessions() {
    return shared.sessions();
  }

  /** Null where there is no log of commits. */
  Steward steward() {
    return steward;
  }

  /** Null where there is no log of commits. */
  Membership membership() {
    return membership;
  }

  /** Null where there is no log of commits. */
  Repair repair() {
    return repair;
  }

  /** By which other members prove that they forward a client. */
  ForwardKey forwardKey() {
    return forwardKey;
  }

  /** Ends what runs in its sessions, once a commit that was begun has come to its end. */
  void stopSessions() {
    sessions().all().forEach(OpenSession::stop);
  }

  /** Its sessions have ended, or were told to. */
  @Override
  public void close() {
    roles.close();
    sequences.close();
    if (steward != null) {
      membership.close();
      steward.close();
    }
  }
}

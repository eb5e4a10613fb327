package io.mgtm.query.session;

import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.catalogue.SchemaLock;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.fleet.CommitGate;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.fleet.SequenceBounds;
import io.mgtm.query.fleet.Slots;
import io.mgtm.query.fleet.SnapshotGate;

/**
 * What the sessions before several servers share.
 *
 * @param commits null before one server, as are spools and positions
 */
public record Shared(
    QueryConfig config,
    Fleet fleet,
    TransactionLimit limit,
    CommitGate gate,
    SnapshotGate snapshots,
    CommitLog commits,
    PositionTable positions,
    SequenceBounds sequences,
    Slots slots,
    ServerDoor door,
    Sessions sessions,
    Catalogues catalogues,
    Spools spools,
    SchemaLock schemaLock,
    QueryMetrics metrics) {}

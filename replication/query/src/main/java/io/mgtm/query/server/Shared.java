package io.mgtm.query.server;

import io.mgtm.query.config.QueryConfig;

/**
 * What the sessions before several servers share.
 *
 * @param spools null before one server
 */
record Shared(
    QueryConfig config,
    Fleet fleet,
    CommitGate gate,
    ServerDoor door,
    Sessions sessions,
    Catalogues catalogues,
    Spools spools,
    SchemaLock schemaLock) {}

/**
 * PostgreSQL's protocol, version 3, as bytes: framing, limits, the messages the replicator makes.
 */
package io.mgtm.query.wire;

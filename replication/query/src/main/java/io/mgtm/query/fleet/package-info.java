/**
 * Which servers there are, which of them are in, and what is decided. A commit comes from a session
 * through the {@link io.mgtm.query.fleet.CommitGate} into the {@link
 * io.mgtm.query.fleet.CommitLog}, the one place that decides it, which also tells the servers that
 * are in; each server notes in its {@link io.mgtm.query.fleet.PositionTable} what it has. Sessions
 * see the servers as {@link io.mgtm.query.fleet.Node}s of a {@link io.mgtm.query.fleet.Fleet}.
 */
package io.mgtm.query.fleet;

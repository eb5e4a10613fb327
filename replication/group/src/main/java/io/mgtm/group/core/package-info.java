/**
 * The decisions of a replicated group: who leads, what is committed, who may vote. Raft with
 * pre-vote, quorum check, leadership transfer and single-member changes, and with acknowledgements
 * from memory.
 *
 * <p>No clock, thread, I/O or randomness: time comes in as a number of milliseconds, and everything
 * that is done goes through {@link io.mgtm.group.core.CoreLog} and {@link
 * io.mgtm.group.core.Effects}. One owner thread calls it. The invariants stand in
 * docs/replication.md.
 */
package io.mgtm.group.core;

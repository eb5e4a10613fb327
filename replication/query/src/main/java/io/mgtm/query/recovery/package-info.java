/**
 * How servers come to have what is committed: where they come back, are added, are found to differ,
 * or are taken over by a replicator that begins to lead. What they miss flows from the log of
 * commits to them, in its order; what the log has no more is compared or copied from a server that
 * is in. {@link io.mgtm.query.recovery.Steward} watches them and begins it.
 */
package io.mgtm.query.recovery;

/**
 * What a controller decides: pure, without clock, thread, socket or randomness of its own. All
 * times are milliseconds; all of it is called by one owner thread, which passes the time in.
 *
 * <p>What the rest of the controller uses:
 *
 * <ul>
 *   <li>the replicated state: {@link io.mgtm.ha.core.ClusterState#apply(Batch)} of each entry of
 *       the log, in its order; entries are {@link io.mgtm.ha.core.Batch}es and checkpoints are
 *       {@link io.mgtm.ha.core.ClusterState}s, both records with Jackson annotations, written as
 *       JSON
 *   <li>every node: {@link io.mgtm.ha.core.NodeAgent} is told {@link
 *       io.mgtm.ha.core.NodeAgent#configured configuration}, {@link
 *       io.mgtm.ha.core.NodeAgent#granted grants}, {@link io.mgtm.ha.core.NodeAgent#ended ended
 *       calls} and the {@link io.mgtm.ha.core.NodeAgent#tick time}, and acts through {@link
 *       io.mgtm.ha.core.NodeEffects}
 *   <li>every controller: {@link io.mgtm.ha.core.Leader} is told heartbeats always, and the rest
 *       while its member leads the log; it acts through {@link io.mgtm.ha.core.LeaderEffects}
 *   <li>between them: {@link io.mgtm.ha.core.Heartbeat} and {@link io.mgtm.ha.core.Grant}
 * </ul>
 *
 * <p>Why never two nodes have a hierarchy in service. A node runs a hierarchy only while it has a
 * lease on it, which ends {@code leaseMs} after the node sent the heartbeat that was answered; the
 * watchdog ends what outlives its lease within {@code guardMs}. The leader grants a lease only from
 * committed state and only when the log has confirmed, after the heartbeat came, that it leads. A
 * {@link io.mgtm.ha.core.Placement} leaves a node only when the node is surely out: it has said so
 * after it had seen that it shall be out, or its last lease and the watchdog's time are over on the
 * leader's clock, or a fence agent has switched it off: asked within this leader's term, after
 * which the node was neither heard nor granted anything. A new leader counts from the moment it
 * began to lead, since nobody can have been granted anything by another leader after that.
 *
 * <p>Why a failover that nobody asked for loses no acknowledged write. A primary acknowledges
 * nothing that a copy lacks which was in sync with it, or which it has left behind under no mark
 * yet, before its kit was told that the state has a mark without that copy. The kit is told so only
 * of the node's own last word, in the order in which the node has looked; a word is an entry only
 * under the present placement's epoch, and never after a later one. A node is placed only if the
 * state counts its copy among those that have everything, or an operator has accepted what it
 * lacks; words of a placement that has ended change nothing any more.
 */
package io.mgtm.ha.core;

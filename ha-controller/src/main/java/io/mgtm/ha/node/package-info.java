/**
 * A controller that runs: the owner thread, the replicated log, the paths between nodes, and the
 * threads that call kits. What it decides is decided in {@link io.mgtm.ha.core}.
 */
package io.mgtm.ha.node;

/**
 * Mode {@code raft}: the group's log by jgroups-raft's election and replication, over this
 * project's log on disk.
 */
package io.mgtm.group.raft;

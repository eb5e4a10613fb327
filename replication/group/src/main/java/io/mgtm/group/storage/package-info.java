/**
 * The durable storage of one member: its folder, its log in segment files, and its checkpoints.
 *
 * <p>What holds at every moment, and after a crash at any moment:
 *
 * <ol>
 *   <li>Indexes have no gap: what recovery finds is a prefix of what was appended.
 *   <li>{@link io.mgtm.group.storage.LogStore#durableIndex()} never passes what a completed force
 *       has covered, and recovery never ends before it without saying so.
 *   <li>Bytes after the last record are zeros on disk before anything is appended after them.
 *   <li>A file under its final name is whole: it was synced before it was renamed.
 *   <li>A segment goes only when a synced checkpoint covers it.
 * </ol>
 *
 * <p>Four threads: the owner appends, reads and truncates; the force thread forces; the checkpoint
 * thread writes checkpoints; the files thread makes segments and drops what checkpoints cover.
 */
package io.mgtm.group.storage;

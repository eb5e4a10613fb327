/**
 * The pure core of a volume: roles, generations, the write path, links and the receiving side.
 * Events come in as method calls, actions go out through {@link
 * io.mgtm.block.volume.VolumeEffects}; time is a number. One thread calls it.
 *
 * <p>Invariants, checked by the model test over many seeded schedules:
 *
 * <ol>
 *   <li>A chunk whose bytes may differ between this side and a replica after any crash has its bit
 *       set in that replica's bitmap file, or the replica is marked as wholly different.
 *   <li>A reply to a write leaves only after the link's mode is satisfied by each attached replica,
 *       or that replica has been suspended and, on a primary, a generation that it does not know is
 *       durable.
 *   <li>Where copies must be fenced, it leaves only while each synchronous or semi-synchronous
 *       replica is in sync or was fenced since it last was, see {@link
 *       io.mgtm.block.volume.Fencing}.
 *   <li>A FLUSH or FUA reply means stable storage here and on each attached synchronous replica.
 *   <li>Writes that overlap reach each disk in the order in which they came.
 *   <li>A target under resync is durably marked inconsistent before its first byte changes, and
 *       consistent only after its last byte is on stable storage; it is not promoted in between
 *       unless forced.
 *   <li>The newest copy gives up its own changes only for another that goes on: a primary, or one
 *       that was promoted, and that it is split from. Else no copy would be left that may be
 *       promoted without force.
 * </ol>
 */
package io.mgtm.block.volume;

/**
 * The write-intent bitmap of one replica: which chunks may differ from the primary's. {@link
 * io.mgtm.block.intent.IntentBitmap} is the pure part, {@link io.mgtm.block.intent.BitmapFile} its
 * file.
 *
 * <p>The invariant: a chunk whose bytes may differ between this side and the replica, after any
 * crash, has its bit set in the file. Hence a bit is durable before the first write to its chunk
 * starts, and is cleared only after both sides have the chunk's last write on stable storage.
 */
package io.mgtm.block.intent;

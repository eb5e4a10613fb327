/**
 * Replicated block volumes served over NBD.
 *
 * <p>A volume's bytes lie in one file or device; each write is on the replicas as well before it is
 * answered, as the link's mode says. The pure parts ({@code volume}, {@code intent.IntentBitmap},
 * {@code resync}) know no clock, socket, disk or thread; {@code agent} drives them from one event
 * loop.
 */
package io.mgtm.block;

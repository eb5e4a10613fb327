package io.mgtm.ha.core;

/**
 * Leases of a configuration with a longer wait than the present one's may be out: a new leader,
 * which cannot know what others have granted, waits for these.
 *
 * @param waitMs after so long the last of them is over, and what it covered has stopped
 * @param until cluster time when all of them are over; 0 before a leader has said so, which it does
 *     once it knows the present configuration to be committed: none of them is granted after that
 */
public record FormerLeases(long waitMs, long until) {}

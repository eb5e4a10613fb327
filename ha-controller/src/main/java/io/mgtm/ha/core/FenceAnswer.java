package io.mgtm.ha.core;

/**
 * What came of a fence agent that a leader has asked for.
 *
 * @param request which it answers; see {@link LeaderEffects#fence}
 * @param off whether it has switched the node off, and has made sure of it
 * @param how by what and how long it took, or why it failed; a part of a sentence for people
 */
public record FenceAnswer(long request, String node, boolean off, String how) {}

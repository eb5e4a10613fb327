package io.mgtm.gtm.wire.link;

import java.util.UUID;

/**
 * How a node stands in its group.
 *
 * @param leading whether it leads and serves
 * @param term the highest that it knows
 * @param member its name
 * @param leader the leader's name, empty when none is known
 * @param leaderAddress {@code host:port} of the leader for gateways, empty when not known
 * @param group tells the group from others; null when that is not known, or not told
 */
public record Leadership(
    boolean leading, long term, String member, String leader, String leaderAddress, UUID group) {}

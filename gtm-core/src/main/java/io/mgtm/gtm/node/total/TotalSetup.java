package io.mgtm.gtm.node.total;

import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What a {@link TotalEngine} is made with.
 *
 * @param leadership how this node stands now
 * @param address where gateways reach this member, {@code host:port}; empty until it listens
 * @param changed called when this node begins or ceases to serve
 * @param graceMs how long the sessions of a link that has ended are kept
 * @param attachments numbers that no other process draws
 */
public record TotalSetup(
    String member,
    Supplier<Leadership> leadership,
    Supplier<String> address,
    Runnable changed,
    Limits limits,
    int sessionsMax,
    long graceMs,
    RandomGenerator attachments) {}

package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What a {@link LinkEngine} is made with.
 *
 * @param leadership how this node stands now
 * @param changed called when that has changed by what the engine did
 * @param address where gateways reach this member, {@code host:port}; empty until it listens
 * @param firstCommands what a new log begins with, unless with a backup
 * @param restore a backup that waits in the data folder, or null
 * @param graceMs how long the sessions of a link that has ended are kept
 * @param recovery how long a leader waits for what gateways know, where replies may leave early
 * @param handOver asks another member to lead, see {@link LeaderYield}
 * @param random numbers that no other process draws
 */
public record EngineSetup(
    String member,
    Supplier<Leadership> leadership,
    Runnable changed,
    Supplier<String> address,
    Limits limits,
    List<Command> firstCommands,
    BackupFile restore,
    int sessionsMax,
    long graceMs,
    LazyLeader.Settings recovery,
    Runnable handOver,
    RandomGenerator random) {}

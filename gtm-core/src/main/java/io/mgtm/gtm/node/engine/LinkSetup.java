package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a {@link LinkEngine} is made with.
 *
 * @param leadership how this node stands now
 * @param address where gateways reach this member, {@code host:port}; empty until it listens
 * @param firstCommands what a new log begins with, unless with a backup
 * @param restore a backup that waits in the data folder, or null
 * @param lazy of mode lazy, null in others
 * @param handOver asks another member to lead, see {@link LeaderYield}
 */
public record LinkSetup(
    String member,
    Supplier<Leadership> leadership,
    Supplier<String> address,
    Limits limits,
    List<Command> firstCommands,
    BackupFile restore,
    int sessionsMax,
    long graceMs,
    LazyLeader.Settings lazy,
    Runnable handOver) {}

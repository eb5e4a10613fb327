package io.mgtm.group.storage;

/**
 * What recovery found when a log was opened.
 *
 * @param fresh whether there was no log before
 * @param clean whether the log was closed with everything synced, or is fresh
 * @param firstIndex the lowest index that the log reaches back to
 * @param lastIndex the highest index found
 * @param cutBytes how many bytes of a torn tail, never acknowledged as durable, were cut
 * @param unsyncedMayBeLost whether entries that were not synced may be missing, even if the machine
 *     has not died: a force had failed, or there are fewer than were written
 */
public record RecoveryReport(
    boolean fresh,
    boolean clean,
    long firstIndex,
    long lastIndex,
    long cutBytes,
    boolean unsyncedMayBeLost) {}

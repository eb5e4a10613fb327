package io.mgtm.group.storage;

/**
 * What a log has done since it was opened, and where it stands.
 *
 * @param firstIndex the lowest index that it reaches back to
 * @param lastIndex the highest appended index
 * @param durableIndex the highest index known to be on disk
 * @param appendedBytes bytes appended, with record headers
 * @param forces how often it was synced to disk
 * @param forceNanos time spent forcing, in nanoseconds
 * @param checkpoints how many checkpoints were written
 * @param checkpointFailures how many could not be written
 * @param checkpointIndex the index of the newest checkpoint, 0 when there is none
 * @param checkpointEpochMs when the newest was written, in ms since 1970; 0 when not since the log
 *     was opened, or not known
 * @param segments how many log files are in use
 */
public record LogStats(
    long firstIndex,
    long lastIndex,
    long durableIndex,
    long appendedBytes,
    long forces,
    long forceNanos,
    long checkpoints,
    long checkpointFailures,
    long checkpointIndex,
    long checkpointEpochMs,
    int segments) {}

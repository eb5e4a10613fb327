package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** What tests make engines with: the member g1 at h:1. */
public final class TestSetup {
  private static final List<Command> GXIDS = List.of(new TransactionCommand.StartGxids(10_000, 3));

  private TestSetup() {}

  /** Without limits. */
  static EngineSetup of(
      Supplier<Leadership> leadership,
      long graceMs,
      LazyLeader.Settings recovery,
      Runnable handOver) {
    return with(leadership, Limits.NONE, GXIDS, null, graceMs, recovery, handOver);
  }

  /** A new log begins with a backup. */
  static EngineSetup restoring(BackupFile backup) {
    return with(() -> null, Limits.NONE, List.of(), backup, 60_000, null, null);
  }

  /** With limits, on a log that has begun. */
  public static EngineSetup limited(Supplier<Leadership> leadership, Limits limits) {
    return with(leadership, limits, List.of(), null, 60_000, null, null);
  }

  private static EngineSetup with(
      Supplier<Leadership> leadership,
      Limits limits,
      List<Command> first,
      BackupFile restore,
      long graceMs,
      LazyLeader.Settings recovery,
      Runnable handOver) {
    return new EngineSetup(
        "g1",
        leadership,
        () -> {},
        () -> "h:1",
        limits,
        first,
        restore,
        100,
        graceMs,
        recovery,
        handOver,
        new Random(1));
  }
}

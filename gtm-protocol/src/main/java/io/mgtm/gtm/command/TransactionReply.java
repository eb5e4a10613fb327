package io.mgtm.gtm.command;

import java.util.List;

/**
 * Answers to {@link TransactionCommand}. Gxids are the low 32 bits; times are µs since 2000-01-01.
 */
public sealed interface TransactionReply extends Reply {

  /** A transaction has begun; {@code gxid} is 0 for {@link TransactionCommand.BeginKind#HANDLE}. */
  record Began(TransactionCommand.BeginKind kind, int handle, int gxid, long timestampMicros)
      implements TransactionReply {}

  /** {@code count} transactions have begun, with consecutive gxids. */
  record BeganMany(int count, int firstGxid, long timestampMicros) implements TransactionReply {}

  /** The gxid that a transaction has from now on. */
  record GxidAssigned(int handle, int gxid) implements TransactionReply {}

  /**
   * A transaction has ended.
   *
   * @param known false when there was no such transaction
   */
  record Ended(Outcome outcome, int gxid, boolean known) implements TransactionReply {}

  /** Several have ended; one flag each says whether it was there. */
  record EndedMany(Outcome outcome, Flags known) implements TransactionReply {}

  /** The transaction outlives its session from now on. */
  record PrepareStarted(int gxid) implements TransactionReply {}

  /** The transaction is prepared. */
  record Prepared(int gxid) implements TransactionReply {}

  /** A prepared transaction has ended; {@code known} is false when there was none. */
  record PreparedCommitted(int preparedGxid, boolean known) implements TransactionReply {}

  /** The transaction that will end a prepared one has begun. */
  record BeganForPrepared(int gxid, int preparedGxid, String nodes) implements TransactionReply {}

  /** The gxid that the next begin will give. */
  record NextGxid(int gxid) implements TransactionReply {}

  /** The state of one transaction. */
  record Status(int gxid, TransactionState state) implements TransactionReply {}

  /** The new origin of the wraparound limits, and the limit at which begins stop. */
  record OldestGxidAdvanced(int oldestGxid, int stopGxid) implements TransactionReply {}

  /** One open transaction. */
  record TransactionInfo(
      int handle,
      int gxid,
      TransactionState state,
      long session,
      short backend,
      Isolation isolation,
      boolean readOnly,
      boolean vacuum,
      int xmin,
      String gid,
      String nodes) {}

  /** The counters and every open transaction, oldest first. */
  record TransactionList(
      int nextGxid,
      int oldestGxid,
      int warnGxid,
      int stopGxid,
      int wrapGxid,
      int latestCompletedGxid,
      int recentGlobalXmin,
      int lastHandle,
      List<TransactionInfo> transactions)
      implements TransactionReply {}

  /** Every prepared transaction, oldest first. */
  record PreparedList(List<TransactionInfo> transactions) implements TransactionReply {}
}

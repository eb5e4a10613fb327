package io.mgtm.gtm.node.engine;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Effect;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What a leader does as the mode of its group asks: what it takes in before it serves, and when the
 * replies of a batch leave. This one is of the modes in which an entry is committed by a majority:
 * it serves at once, and replies leave when what they rest on is committed. Owner thread.
 */
class LeaderMode {
  final ReplicatedLog replicated;
  private final PendingReplies held;

  LeaderMode(ReplicatedLog replicated, RequestMetrics metrics) {
    this.replicated = replicated;
    this.held = new PendingReplies(metrics, replicated::mayAnswer);
  }

  /**
   * This member leads.
   *
   * @param timeIsUp called when what it waits for has been waited for long enough
   */
  void leading(Runnable timeIsUp) {}

  /** This member no longer leads. */
  void following() {}

  /** Whether gateways may come, though nothing is served. */
  boolean isRecovering() {
    return false;
  }

  /**
   * Takes what links bring while it recovers.
   *
   * @return what cannot even wait
   */
  Collection<LinkWork> take(Collection<LinkWork> works) {
    return works;
  }

  /**
   * Whether everything that it takes in is applied and in the log now. When there was no room, it
   * is to be asked again.
   */
  boolean isRecovered() {
    return true;
  }

  /**
   * Begins to serve.
   *
   * @param term the present one
   * @return false when there was no room; it is to be asked again
   */
  boolean serve(long term, EntryAppender entry, GatewaySessions sessions) {
    return true;
  }

  /** What came while nothing was served; it is not kept. */
  List<LinkWork> takeQueued() {
    return new ArrayList<>(0);
  }

  /** Whether a gateway was refused that the mode cannot have. */
  boolean refuses(LinkWork.Attach work, BatchOutput output) {
    return false;
  }

  /** A link has ended. */
  void gone(GatewayPeer peer) {}

  /** With which effect a command stands in its entry. */
  Effect effect(Command command, Effect effect) {
    return effect;
  }

  /**
   * An entry of commands was appended.
   *
   * @param entry from position to limit
   */
  void appended(long index, ByteBuffer entry) {}

  /** How many batches wait for the log. */
  int pendingReplies() {
    return held.size();
  }

  /** Holds what a batch has to say until the log covers it; see {@link PendingReplies#add}. */
  void hold(
      BatchOutput output,
      long index,
      long readIndex,
      List<Runnable> then,
      ServedCommands commands,
      long nanos) {
    held.add(output, index, readIndex, then, commands, nanos);
  }

  /** The log has got on: what it covers now may leave. */
  void release() {
    held.release(
        releasable(replicated.committedIndex()), replicated.confirmedReadIndex(), this::rests);
  }

  /** Up to where replies may leave. */
  long releasable(long committed) {
    return committed;
  }

  /** Before a batch's output leaves: what it rests on leaves with it. */
  void rests(BatchOutput output, long index) {}

  /** What is held will never leave. */
  void drop() {
    held.drop();
  }
}

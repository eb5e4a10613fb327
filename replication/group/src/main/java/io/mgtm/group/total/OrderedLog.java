package io.mgtm.group.total;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.Message;
import io.mgtm.group.member.OpenLog;
import java.nio.ByteBuffer;

/**
 * An ordered log that every member writes to: a proposal of any member gets a place in the one
 * order in which all members apply all proposals to their {@link OrderedMachine}. All methods are
 * called by the owner thread.
 *
 * <p>Promises, as docs/replication.md says in full: each proposal is applied once, on every member
 * at the same place; proposals of one process keep their order; one that is settled is never lost
 * by any minority of crashes or any partition; a proposal is settled only after a majority was
 * reached since it was made, so that a question answered at its place is linearizable. While the
 * process lives, each proposal is repeated until it is settled, however often the leader changes.
 *
 * <p>To operators the leader is the member that makes the order: it is asked for changes.
 */
public interface OrderedLog extends OpenLog {

  /**
   * Told, on the owner thread, what becomes of the proposals of this process, and who makes the
   * order: that member leads.
   */
  interface Listener extends ReplicatedLog.Listener {
    /**
     * Own proposals up to this number are committed as their durability asks: the replies that were
     * made when they were applied may leave. The log may be called.
     */
    @Override
    void committed(long number);

    /**
     * Own proposals from this number on, which were applied and not settled, are taken back with
     * the state: replies made of them are void. Each will be applied again, or for the first time.
     * Must not call the log.
     */
    void withdrawn(long fromNumber);

    /**
     * Own proposals up to this number, of those that were not applied, are contained in a
     * checkpoint that this member was given: they took effect, and the state at their place was
     * never seen here. They are settled next. Must not call the log.
     */
    void skipped(long toNumber);

    /**
     * Whether proposals of this member come back: it reaches a majority. False from the start until
     * the first one is settled. The log may be called.
     */
    void serving(boolean now);
  }

  /** The most that one proposal takes. */
  int PROPOSAL_BYTES_MAX = Message.Proposals.PAYLOAD_BYTES_MAX;

  /** Whether the window has room for one more proposal of that size. */
  boolean canPropose(int bytes);

  /**
   * Proposes; nothing is applied before this call returns.
   *
   * @param payload its bytes from position to limit, at least one; copied before the call returns
   * @return the proposal's number; numbers of one process increase by one from 1
   * @throws IllegalStateException when {@link #canPropose} says no, or the log is closed
   */
  long propose(ByteBuffer payload);

  /** Whether proposals of this member come back. */
  boolean isServing();
}

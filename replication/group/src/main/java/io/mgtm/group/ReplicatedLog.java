package io.mgtm.group;

import java.nio.ByteBuffer;

/**
 * The ordered log that a {@link StateMachine} lives on, seen by the member that leads. The leader
 * applies a batch to its state, appends it, and holds the batch's replies until {@link
 * #committedIndex()} has reached the entry. All methods are called by the owner thread.
 */
public interface ReplicatedLog extends AutoCloseable {
  /** The most that one entry has; members take no longer message from each other. */
  int ENTRY_BYTES_MAX = 4 << 20;

  /** Told, on the owner thread, what happens to the log. */
  interface Listener {
    /**
     * Every entry up to {@code index} is covered by the mode and its durability. Not called from
     * within {@link #append}: what an append commits at once is seen in {@link #committedIndex()}
     * after it.
     */
    void committed(long index);

    /** {@link ReplicatedLog#stableIndex} has risen beyond what {@link #committed} told of. */
    default void stable(long index) {}

    /**
     * Reads with read indexes up to this one may be answered; see {@link ReplicatedLog#confirm}.
     */
    default void confirmed(long readIndex) {}

    /**
     * This member leads from now on: everything before is applied, and it may append.
     *
     * @param term higher than that of every leader before
     */
    default void leading(long term) {}

    /**
     * As {@link #leading(long)}, which it calls unless it is overridden.
     *
     * @param repliesMayBeLost whether replies of earlier leaders may have left whose entries this
     *     log does not have: always when mode {@code lazy} has lost a leader, in other modes after
     *     a majority has lost power. The state machine was told too, at the term's start. What
     *     clients know of such replies must be heard of them before anything new is handed out.
     */
    default void leading(long term, boolean repliesMayBeLost) {
      leading(term);
    }

    /**
     * This member does not lead (any more): what it has appended and is not committed is in doubt,
     * and its replies must not leave. The state machine may have been restored.
     *
     * @param leader the name of the leader, null when none is known
     */
    default void following(String leader) {}

    /**
     * The log can no longer keep its promise (for example: a force failed). The node must stop:
     * what it has not acknowledged is in doubt.
     */
    void failed(LogException cause);
  }

  /**
   * Whether an entry of {@code bytes} can be appended now. False while the disk has no room: the
   * caller refuses work before it applies it. A call that answers false makes the log try again to
   * get room in the background. True holds for one append. May wait up to a bound, in the order of
   * a second, for a disk that is busy making room.
   *
   * @throws IllegalArgumentException when an entry can never have that size
   */
  boolean hasRoom(int bytes);

  /** Why {@link #hasRoom} last answered false; a sentence for an operator. */
  String noRoomReason();

  /**
   * Appends one entry that the caller has applied already.
   *
   * @param payload its bytes from position to limit; copied before the call returns
   * @param durability what the state machine asked for
   * @return the entry's index; indexes increase by one and start at 1
   * @throws IllegalArgumentException when an entry can never have that size
   * @throws LogException with NO_SPACE when {@link #hasRoom} was not asked, with the failure's
   *     category when the log has failed
   */
  long append(ByteBuffer payload, Durability durability);

  /** Whether this member leads, so that it may append. */
  default boolean isLeading() {
    return true;
  }

  /**
   * Asks for confirmation that this member still leads. The reply to a read may leave once the
   * state that it shows is committed, and its read index is confirmed.
   *
   * @return the read's read index; read indexes do not decrease in a term, and start over in the
   *     next
   */
  default long confirm() {
    return 0;
  }

  /** The highest confirmed read index of this term. */
  default long confirmedReadIndex() {
    return Long.MAX_VALUE;
  }

  /**
   * Whether what is committed and confirmed may be said now; to be asked just before replies leave.
   * False in mode {@code lazy} while this member, which stood still, does not know whether it still
   * leads. {@link Listener#confirmed} tells when it is to be asked again.
   */
  default boolean mayAnswer() {
    return true;
  }

  /**
   * Whether entries are acknowledged before they are stable, as in mode {@code lazy}: what clients
   * were told may be lost with its leader, and they are to keep it.
   */
  default boolean acknowledgesEarly() {
    return false;
  }

  /** The highest index whose entries, and all before, may be acknowledged. */
  long committedIndex();

  /**
   * The highest index up to which no entry can be lost with this member alone. Behind {@link
   * #committedIndex} only in mode {@code lazy}, which acknowledges what is on its way.
   */
  default long stableIndex() {
    return committedIndex();
  }

  /**
   * The highest index up to which another member has all entries. Behind {@link #stableIndex} while
   * a leader of mode {@code lazy} goes on alone: another member that has not heard of that may come
   * to lead when it is gone.
   */
  default long sharedIndex() {
    return stableIndex();
  }

  /** The highest appended index; 0 in an empty log. */
  long lastIndex();

  /**
   * Forces everything, marks the log as cleanly closed, and stops its threads. The listener hears
   * nothing more.
   *
   * @throws LogException when it could not be closed cleanly; it is closed all the same
   */
  @Override
  void close();
}

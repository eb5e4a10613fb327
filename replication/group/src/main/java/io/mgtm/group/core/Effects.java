package io.mgtm.group.core;

import java.util.List;

/** What the core does to the outside, apart from its log. Called on the owner thread. */
public interface Effects {

  /**
   * Sends a message; it may be lost.
   *
   * @param to names of members, never this one
   */
  void send(List<String> to, Message message);

  /**
   * The same; the message is on its way on return, and does not wait for what the core does next.
   */
  default void sendNow(List<String> to, Message message) {
    send(to, message);
  }

  /** Stores the record; it is on disk on return. */
  void save(TermRecord record);

  /** The leader, or null when none is known; serves only after {@link #leading}. */
  void leaderChanged(MemberId leader, long term);

  /**
   * This member's term start is committed: it may serve.
   *
   * @param entriesMayBeMissing as the term start says
   */
  void leading(long term, boolean entriesMayBeMissing);

  /** Everything up to an index is committed. */
  void committed(long index);

  /** Reads with read indexes up to this one are confirmed. Leader only. */
  void confirmed(long readIndex);

  /** Something is wrong that an operator should know of at once; a sentence with what to do. */
  default void warned(String sentence) {}

  /** This member must stop; the sentence is for an operator. */
  void failed(String reason);
}

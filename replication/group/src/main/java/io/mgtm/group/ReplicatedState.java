package io.mgtm.group;

/**
 * A state that a log's entries lead to, on every member the same. All methods are called by the
 * log's owner thread, and by no other, but for {@link #load}.
 *
 * <p>It must be deterministic: the same entries after the same checkpoint give the same state and
 * the same {@link Durability}, on every member and at every replay.
 */
public interface ReplicatedState {

  /**
   * Entries before this one that were acknowledged without being synced may be missing: a majority
   * of the members lost power, or mode {@code lazy} lost its leader. It is part of the log, as an
   * entry is, and comes at the same place on every member.
   *
   * @param index where it stands in the log
   * @param keptByClients whether clients were given the entries with their replies, as {@link
   *     ReplicatedLog#acknowledgesEarly} says
   */
  default void entriesMayBeMissing(long index, boolean keptByClients) {}

  /**
   * The whole state as it is now, with every appended entry applied. Short, whatever the state's
   * size: it is encoded afterwards, by another thread.
   */
  StatePicture picture();

  /**
   * Reads a state that a {@link #picture} wrote, apart from the running one. Any thread, while the
   * owner goes on.
   *
   * @return puts it in the place of the state; run by the owner thread, once at most, and short.
   *     Also run on a running member: one that lags behind, or one that led and had applied what
   *     the group did not commit
   * @throws LogException with {@link LogException.Category#FORMAT} when it is of a newer version,
   *     CORRUPT when it is damaged
   */
  Runnable load(Pieces encoded);
}

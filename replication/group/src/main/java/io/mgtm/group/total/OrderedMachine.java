package io.mgtm.group.total;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import java.nio.ByteBuffer;

/**
 * What the proposals of an {@link OrderedLog} mean. All methods but {@link #load} are called by the
 * log's owner thread, from within the log: none of them may call the log.
 *
 * <p>It must be deterministic: the same proposals after the same checkpoint give the same state and
 * the same {@link Durability}, on every member and at every replay, whoever proposed them.
 */
public interface OrderedMachine {

  /**
   * Applies one proposal at its place in the order. When it is one of this process' own, its
   * replies are to be made now, of the state as it is here, and held until {@link
   * OrderedLog.Listener#settled}.
   *
   * @param index its place; another proposal's is another
   * @param own its number when this process proposed it and has not heard of its being settled,
   *     else 0
   * @param payload its bytes, valid during the call only
   * @return what must be on disk before a reply leaves
   * @throws io.mgtm.group.LogException with {@link io.mgtm.group.LogException.Category#FORMAT} when
   *     the bytes are of a newer version; any other exception means a broken invariant and stops
   *     the node
   */
  Durability apply(long index, long own, ByteBuffer payload);

  /** As {@link io.mgtm.group.StateMachine#entriesMayBeMissing}. */
  default void entriesMayBeMissing(long index) {}

  /** As {@link io.mgtm.group.StateMachine#picture}. */
  StatePicture picture();

  /**
   * As {@link io.mgtm.group.StateMachine#load}. What of this process' own proposals a new state
   * concerns is told by {@link OrderedLog.Listener#withdrawn} and {@link
   * OrderedLog.Listener#skipped}.
   */
  Runnable load(Pieces encoded);
}

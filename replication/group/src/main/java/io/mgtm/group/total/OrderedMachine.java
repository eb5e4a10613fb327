package io.mgtm.group.total;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedState;
import java.nio.ByteBuffer;

/**
 * What the proposals of an {@link OrderedLog} mean, whoever proposed them. The log's owner thread
 * calls it from within the log: no method may call the log.
 */
public interface OrderedMachine extends ReplicatedState {

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

  /**
   * {@inheritDoc}
   *
   * <p>What of this process' own proposals a new state concerns is told by {@link
   * OrderedLog.Listener#withdrawn} and {@link OrderedLog.Listener#skipped}.
   */
  @Override
  Runnable load(Pieces encoded);
}

package io.mgtm.ha.node;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.ha.core.Batch;
import io.mgtm.ha.core.ClusterState;
import java.nio.ByteBuffer;

/**
 * The controllers' state, as this member's log leads to it. Entries are {@link Batch}es, a
 * checkpoint is a {@link ClusterState}, both in JSON. Owner thread.
 */
final class StateLog implements StateMachine {
  private final Runnable changed;
  private ClusterState state = ClusterState.EMPTY;

  /**
   * An empty state.
   *
   * @param changed run after each change of the state, by the owner thread
   */
  StateLog(Runnable changed) {
    this.changed = changed;
  }

  ClusterState state() {
    return state;
  }

  /** Appends a batch of the leader's, whose effect it has worked out already. */
  long append(ReplicatedLog log, Batch batch, ClusterState after) {
    long index = log.append(ByteBuffer.wrap(Codec.bytes(batch)), Durability.REQUIRED);
    become(after);
    return index;
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    Batch batch = Codec.logged(payload, Batch.class);
    refuseNewer(batch.format());
    become(state.apply(batch));
  }

  private void become(ClusterState next) {
    state = next;
    changed.run();
  }

  private static void refuseNewer(int format) {
    if (format != Batch.FORMAT) {
      throw new LogException(
          Category.FORMAT,
          "The controllers' log has format %d, this version knows %d; start the version that wrote it"
              .formatted(format, Batch.FORMAT));
    }
  }

  @Override
  public StatePicture picture() {
    ClusterState now = state;
    return to -> to.accept(ByteBuffer.wrap(Codec.bytes(now)));
  }

  @Override
  public Runnable load(Pieces encoded) {
    ClusterState loaded = Codec.logged(encoded.rest(), ClusterState.class);
    refuseNewer(loaded.format());
    return () -> become(loaded);
  }
}

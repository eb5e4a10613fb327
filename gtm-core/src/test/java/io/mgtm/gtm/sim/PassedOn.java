package io.mgtm.gtm.sim;

import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;

/** What a log tells, passed on to the node's engine; who watches overrides what it looks at. */
class PassedOn implements ReplicatedLog.Listener {
  private final ReplicatedLog.Listener engine;

  PassedOn(ReplicatedLog.Listener engine) {
    this.engine = engine;
  }

  @Override
  public void committed(long index) {
    engine.committed(index);
  }

  @Override
  public void stable(long index) {
    engine.stable(index);
  }

  @Override
  public void confirmed(long readIndex) {
    engine.confirmed(readIndex);
  }

  @Override
  public void leading(long term, boolean repliesMayBeLost) {
    engine.leading(term, repliesMayBeLost);
  }

  @Override
  public void following(String leader) {
    engine.following(leader);
  }

  @Override
  public void failed(LogException cause) {
    engine.failed(cause);
  }
}

package io.mgtm.gtm.node;

import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.engine.LazyLeader;
import io.mgtm.gtm.state.Limits;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/** What a node's configuration means for its parts. */
final class NodeSettings {
  private NodeSettings() {}

  static Limits limits(GtmConfig config) {
    GtmConfig.LimitsConfig l = config.limits();
    return new Limits(
        l.transactionsMax(),
        l.snapshotGxidsMax(),
        l.sequencesMax(),
        l.nodesMax(),
        config.gxid().stopMargin(),
        config.gxid().warnMargin());
  }

  /** How long a new leader waits for what gateways know. */
  static LazyLeader.Settings recovery(GtmConfig config, EventLoop owner) {
    return new LazyLeader.Settings(
        config.group().recoveryWaitMs(),
        (delayMs, task) -> owner.schedule(task, delayMs, TimeUnit.MILLISECONDS));
  }
}

package io.mgtm.gtm.node;

import io.mgtm.group.GroupMode;
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

  static boolean isLazy(GtmConfig config) {
    return config.group().exists() && config.group().mode() == GroupMode.LAZY;
  }

  /** Of a leader in mode {@code lazy}; null in the other modes. */
  static LazyLeader.Settings lazy(GtmConfig config, EventLoop owner) {
    return isLazy(config)
        ? new LazyLeader.Settings(
            config.group().recoveryWaitMs(),
            (delayMs, task) -> owner.schedule(task, delayMs, TimeUnit.MILLISECONDS))
        : null;
  }
}

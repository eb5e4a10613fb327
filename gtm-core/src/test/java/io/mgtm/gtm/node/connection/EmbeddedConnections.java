package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.admin.AdminService;
import io.mgtm.gtm.node.engine.CommandEngine;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.LossyLog;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.Leadership;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/** Puts the handlers of a node's connections into channels without a socket. */
public final class EmbeddedConnections {
  private EmbeddedConnections() {}

  /** An XC client's, with an engine of its own. */
  public static <C extends EmbeddedChannel> C client(
      C channel, PartialBudget budget, Consumer<Throwable> fatal) {
    RequestMetrics metrics = new RequestMetrics(new SimpleMeterRegistry());
    Engine engine =
        new Engine(
            new GtmStateMachine(new GtmState(10_000)),
            new LossyLog(LossyLog.Fault.NONE),
            () -> 1,
            metrics);
    channel
        .pipeline()
        .addLast(
            new Connection(
                1, GtmConfig.DEFAULTS, engine, channel.eventLoop(), metrics, budget, fatal));
    return channel;
  }

  /**
   * A link's.
   *
   * @param engine null where it sends no commands and never stops being writable
   * @param admin null where it asks for nothing
   */
  public static <C extends EmbeddedChannel> C link(
      C channel,
      CommandEngine engine,
      AdminService admin,
      LinkKeys keys,
      PartialBudget budget,
      Consumer<Throwable> fatal) {
    return link(channel, engine, admin, keys, budget, fatal, channel.eventLoop());
  }

  /** A link's, with an owner that is another thread. */
  static <C extends EmbeddedChannel> C link(
      C channel,
      CommandEngine engine,
      AdminService admin,
      LinkKeys keys,
      PartialBudget budget,
      Consumer<Throwable> fatal,
      EventExecutor owner) {
    LinkService service =
        new LinkService(
            engine,
            new LinkPeers(() -> new Leadership(true, 1, "g", "g", "h:1", null)),
            admin,
            keys,
            GtmConfig.DEFAULTS.timeouts(),
            budget,
            new RequestMetrics(new SimpleMeterRegistry()),
            fatal);
    channel.pipeline().addLast(new LinkConnection(service, owner));
    return channel;
  }

  /** For tests in which nothing may break. */
  public static void fails(Throwable cause) {
    throw new AssertionError(cause);
  }
}

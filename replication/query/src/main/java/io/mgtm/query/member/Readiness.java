package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.connection.OwnRole;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a replicator that follows could take the servers over: it asks each now and then for what
 * it has. So operators know before it must, and it does nothing of that for the first time when it
 * must. Its state belongs to one event loop; {@link #trouble} may be called by any thread.
 */
final class Readiness implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Readiness.class);
  private static final int EVERY_S = 10;

  private final OwnRole role;
  private final Supplier<List<HostPort>> servers;
  private final PositionTable table;
  private final Entrance entrance;
  private final Future<?> looking;
  private volatile List<String> trouble = List.of();

  /**
   * Begins to look.
   *
   * @param name of this replicator
   * @param servers those that there are now
   */
  Readiness(
      QueryConfig config,
      Entrance entrance,
      EventLoop loop,
      String name,
      Supplier<List<HostPort>> servers) {
    this.entrance = entrance;
    this.role = new OwnRole(config, loop, entrance.door(), name);
    this.servers = servers;
    this.table = new PositionTable(null, null, role, null);
    this.looking = loop.scheduleWithFixedDelay(this::look, 0, EVERY_S, TimeUnit.SECONDS);
  }

  private void look() {
    if (entrance.tenure() != null) {
      trouble = List.of();
      return;
    }
    Map<String, String> found = new TreeMap<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (Node node : servers.get().stream().map(Node::new).toList()) {
      all.add(
          table
              .read(node)
              .orTimeout(EVERY_S, TimeUnit.SECONDS)
              .handle(
                  (has, cause) -> {
                    if (cause != null) {
                      synchronized (found) {
                        found.put(node.toString(), Futures.reason(cause));
                      }
                    }
                    return null;
                  }));
    }
    Futures.all(all.stream()).whenComplete((nothing, cause) -> looked(found));
  }

  private void looked(Map<String, String> found) {
    List<String> now = new ArrayList<>();
    found.forEach((node, why) -> now.add("cannot ask " + node + ": " + why));
    if (!now.equals(trouble)) {
      now.forEach(one -> log.warn("This replicator {}", one));
      trouble = List.copyOf(now);
    }
  }

  /** What would keep it from taking a server over, a line each. */
  List<String> trouble() {
    return trouble;
  }

  @Override
  public void close() {
    looking.cancel(false);
  }
}

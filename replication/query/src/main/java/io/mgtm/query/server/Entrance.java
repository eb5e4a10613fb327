package io.mgtm.query.server;

import io.mgtm.common.ConfigException;
import io.mgtm.common.HostPort;
import io.mgtm.query.config.AccessRule;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.wire.ClientDecoder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** What all clients' logins share. Its getters may be called by any thread. */
final class Entrance extends ChannelInitializer<Channel> {
  /** Connections above the limit that are told so; more are closed without a word. */
  private static final int TOLD_MAX = 1_000;

  private final QueryConfig config;
  private final List<AccessRule> rules;
  private final SslContext tls;
  private final byte[] endPoint;
  private final ServerDoor door;
  private final RoleDirectory roles;
  private final Shared shared;
  private final OwnRole own;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * An entrance that is shut until somebody listens.
   *
   * @param loop of the directory of roles
   * @param commits the log of commits, or null before one server
   * @throws IOException when a key or the password cannot be read, or files cannot be made
   * @throws ConfigException when an access rule is none
   */
  Entrance(QueryConfig config, EventLoop loop, CommitLog commits)
      throws IOException, ConfigException {
    this.config = config;
    this.rules = config.rules();
    this.tls = Keys.toClients(config.tls());
    this.endPoint = Keys.endPoint(config.tls());
    this.door = new ServerDoor(config);
    this.own = new OwnRole(config, loop, door);
    Sessions sessions = new Sessions();
    Slots slots = new Slots(config.limits().connectionsMax());
    Fleet fleet =
        new Fleet(
            config.servers(),
            commits,
            node -> sessions.all().forEach(session -> session.serverOut(node)));
    Supplier<HostPort> leader = () -> fleet.leader().address();
    this.shared =
        new Shared(
            config,
            fleet,
            new CommitGate(),
            commits,
            commits == null ? null : new PositionTable(fleet, commits, own, slots),
            slots,
            door,
            sessions,
            new Catalogues(own, leader),
            commits == null
                ? null
                : new Spools(config.data().resolve("spool"), config.limits().spoolBytesMax()),
            new SchemaLock());
    this.roles = new RoleDirectory(config, loop, door, leader);
  }

  @Override
  protected void initChannel(Channel channel) {
    int count = connections.incrementAndGet();
    channel.closeFuture().addListener(closed -> connections.decrementAndGet());
    int max = config.limits().connectionsMax();
    if (count > max + TOLD_MAX) {
      channel.close();
      return;
    }
    channel
        .pipeline()
        .addLast(
            new ClientDecoder(config.limits().messageBytesMax()),
            new ClientLogin(this, count > max));
  }

  QueryConfig config() {
    return config;
  }

  List<AccessRule> rules() {
    return rules;
  }

  SslContext tls() {
    return tls;
  }

  byte[] endPoint() {
    return endPoint;
  }

  ServerDoor door() {
    return door;
  }

  RoleDirectory roles() {
    return roles;
  }

  Sessions sessions() {
    return shared.sessions();
  }

  Shared shared() {
    return shared;
  }

  OwnRole own() {
    return own;
  }
}

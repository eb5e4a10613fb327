package io.mgtm.query.member;

import io.mgtm.common.ConfigException;
import io.mgtm.query.config.AccessRule;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Keys;
import io.mgtm.query.connection.ServerDoor;
import io.mgtm.query.wire.ClientDecoder;
import io.mgtm.query.wire.ErrorFields;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What all clients' logins share, and which tenure they enter. Any thread. */
final class Entrance extends ChannelInitializer<Channel> {
  /** What is told to those above the limit. */
  static final ErrorFields TOO_MANY = ErrorFields.fatal("53300", "sorry, too many clients already");

  /** Connections above the limit that are told so; more are closed without a word. */
  private static final int TOLD_MAX = 1_000;

  private final QueryConfig config;
  private final List<AccessRule> rules;
  private final SslContext tls;
  private final byte[] endPoint;
  private final ServerDoor door;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicReference<Tenure> tenure = new AtomicReference<>();

  /** Null where the replicator is alone. */
  private volatile Forwards forwards;

  /**
   * An entrance to nothing.
   *
   * @throws IOException when a key cannot be read
   * @throws ConfigException when an access rule is none
   */
  Entrance(QueryConfig config, ServerDoor door) throws IOException, ConfigException {
    this.config = config;
    this.door = door;
    this.rules = config.rules();
    this.tls = Keys.toClients(config.tls());
    this.endPoint = Keys.endPoint(config.tls());
  }

  /** Where clients go while there is no tenure. */
  void setForwards(Forwards to) {
    forwards = to;
  }

  /** Null where the replicator is alone. */
  Forwards forwards() {
    return forwards;
  }

  /** Clients enter it from now on. */
  void open(Tenure to) {
    tenure.set(to);
    if (forwards != null) {
      forwards.lookAgain();
    }
  }

  /** Nobody enters it any more. */
  void shut(Tenure of) {
    tenure.compareAndSet(of, null);
  }

  /** What clients enter now, or null. */
  Tenure tenure() {
    return tenure.get();
  }

  /** What is said to a client while there is none. */
  ErrorFields refusal() {
    return forwards == null
        ? ErrorFields.fatal("57P03", "the replicator is starting up")
        : forwards.refusal();
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
    if (tenure.get() == null && forwards != null) {
      channel.pipeline().addLast(new Arrival(this, forwards, count > max));
    } else {
      admit(channel, count > max ? TOO_MANY : null);
    }
  }

  /**
   * Begins a login here; on the connection's loop.
   *
   * @param refusal what it comes to, or null
   */
  void admit(Channel channel, ErrorFields refusal) {
    channel
        .pipeline()
        .addLast(
            new ClientDecoder(config.limits().messageBytesMax()), new ClientLogin(this, refusal));
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
}

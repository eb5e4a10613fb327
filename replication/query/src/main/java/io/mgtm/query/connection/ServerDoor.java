package io.mgtm.query.connection;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.scram.ScramClient;
import io.mgtm.query.scram.ScramPassword;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.FrameSplitter;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.ServerDecoder;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Enters servers, with TLS when it is set. Any thread; what it gives back belongs to a loop. */
public final class ServerDoor {
  /** The backends of a replicator whose machine has vanished make room for those of the next. */
  private static final Map<String, String> KEEP_ALIVE =
      Map.of(
          "tcp_keepalives_idle", "10", "tcp_keepalives_interval", "5", "tcp_keepalives_count", "3");

  private final QueryConfig config;
  private final SslContext tls;
  private final Supplier<ScramClient> own;

  /**
   * A door.
   *
   * @throws IOException when a key or the password of the replicator's role cannot be read
   */
  public ServerDoor(QueryConfig config) throws IOException {
    this.config = config;
    this.tls = Keys.toServers(config.serverTls());
    String password = Keys.password(config.role().passwordFile());
    this.own = password == null ? null : new ScramPassword(password)::client;
  }

  /** Proves that the replicator's own role comes in; null when it need not. */
  Supplier<ScramClient> own() {
    return own;
  }

  /**
   * Connects and authenticates. Who no longer waits cancels the promise, and the connection closes;
   * it fails with a {@link LoginException} that tells what to say to a client.
   *
   * @param sender whether rows are streamed or held
   * @param scram begins an exchange, or null when there is nothing to prove
   */
  public Promise<ServerConnection> enter(
      EventLoop loop,
      HostPort server,
      FrameSplitter.Sender sender,
      Map<String, String> parameters,
      Supplier<ScramClient> scram) {
    Map<String, String> all = new LinkedHashMap<>(parameters);
    if (config.replicates()) {
      KEEP_ALIVE.forEach(all::putIfAbsent);
    }
    return connect(loop, server, sender, scram, channel -> Messages.startup(channel.alloc(), all));
  }

  /** The same; a server that is silent for {@code timeouts.silentMs} is not entered. */
  public Promise<ServerConnection> enterSoon(
      EventLoop loop,
      HostPort server,
      FrameSplitter.Sender sender,
      Map<String, String> parameters,
      Supplier<ScramClient> scram) {
    Promise<ServerConnection> entering = enter(loop, server, sender, parameters, scram);
    int withinMs = config.timeouts().silentMs();
    Future<?> late =
        loop.schedule(
            () ->
                entering.tryFailure(
                    new LoginException(
                        ErrorFields.fatal(
                            "08006",
                            "the server at %s did not answer within %d ms"
                                .formatted(server, withinMs)))),
            withinMs,
            TimeUnit.MILLISECONDS);
    entering.addListener(done -> late.cancel(false));
    return entering;
  }

  /** Asks a server to cancel; completes, always with a failure, when the server has taken it. */
  public Promise<ServerConnection> cancel(EventLoop loop, HostPort server, int pid, int secret) {
    return connect(
        loop,
        server,
        FrameSplitter.Sender.SERVER,
        null,
        channel -> Messages.cancelRequest(channel.alloc(), pid, secret));
  }

  /** What is sent first, once there is TLS. */
  interface Hello {
    ByteBuf on(Channel channel);
  }

  private Promise<ServerConnection> connect(
      EventLoop loop,
      HostPort server,
      FrameSplitter.Sender sender,
      Supplier<ScramClient> scram,
      Hello hello) {
    Promise<ServerConnection> entered = loop.newPromise();
    Bootstrap bootstrap =
        Loops.client(loop, config.limits().outboundBytesMax(), config.timeouts().connectMs());
    bootstrap.handler(
        new ChannelInitializer<Channel>() {
          @Override
          protected void initChannel(Channel channel) {
            channel
                .pipeline()
                .addLast(
                    new ServerDecoder(sender, config.limits().messageBytesMax(), tls != null),
                    new ServerLogin(server, tls, scram, hello, entered));
          }
        });
    bootstrap
        .connect(server.host(), server.port())
        .addListener(
            (ChannelFuture connected) -> {
              if (!connected.isSuccess()) {
                entered.tryFailure(unreachable(server, connected.cause()));
              }
              entered.addListener(
                  done -> {
                    if (!done.isSuccess()) {
                      connected.channel().close();
                    }
                  });
            });
    return entered;
  }

  private static LoginException unreachable(HostPort server, Throwable cause) {
    return new LoginException(
        ErrorFields.fatal(
            "08001", "cannot connect to the server at " + server + ": " + cause.getMessage()));
  }
}

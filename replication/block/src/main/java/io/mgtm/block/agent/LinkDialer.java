package io.mgtm.block.agent;

import io.mgtm.block.config.ReplicaConfig;
import io.mgtm.block.link.InquiryConnection;
import io.mgtm.block.link.LinkConnection;
import io.mgtm.block.link.LinkSecurity;
import io.mgtm.block.link.SourceConnection;
import io.mgtm.block.rdma.RdmaLinkChannel;
import io.mgtm.block.volume.LinkPhase;
import io.mgtm.block.volume.Testimony;
import io.mgtm.block.wire.BlockChannels;
import io.mgtm.common.ConnectionErrors;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.handler.ssl.SslContext;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one link connected while the core wants it, with growing pauses between attempts. On the
 * owner's event loop.
 */
final class LinkDialer {
  private static final Logger LOG = LoggerFactory.getLogger(LinkDialer.class);
  private static final long PAUSE_MS_MIN = 100;
  private static final long PAUSE_MS_MAX = 3_000;
  private static final long SETTLED_MS = 5_000;

  private final VolumeService service;
  private final int link;
  private final ReplicaConfig replica;
  private final EventLoop owner;
  private final long timeoutMs;
  private final LinkSecurity security;
  private final SslContext tls;
  private long nowMs;
  private long dialledMs;
  private long nextAttemptMs;
  private long pauseMs = PAUSE_MS_MIN;
  private boolean dialling;
  private String lastFailure = "";

  LinkDialer(
      VolumeService service,
      int link,
      ReplicaConfig replica,
      EventLoop owner,
      long timeoutMs,
      LinkSecurity security,
      SslContext tls) {
    this.service = service;
    this.link = link;
    this.replica = replica;
    this.owner = owner;
    this.timeoutMs = timeoutMs;
    this.security = security;
    this.tls = tls;
  }

  /** Lets time pass. */
  void tick(long now) {
    nowMs = now;
    SourceConnection present = service.connection(link);
    if (present != null
        || dialling
        || !service.core().wantsConnection(link)
        || nowMs < nextAttemptMs) {
      return;
    }
    boolean refused = service.core().view().link(link).phase() == LinkPhase.REFUSED;
    nextAttemptMs = nowMs + (refused ? PAUSE_MS_MAX : pauseMs);
    pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs);
    dial();
  }

  /** Tries again at once. */
  void hurry() {
    nextAttemptMs = 0;
    pauseMs = PAUSE_MS_MIN;
  }

  private void dial() {
    dialling = true;
    dialledMs = nowMs;
    SourceConnection connection =
        new SourceConnection(
            service.core(),
            link,
            replica.link().mode(),
            replica.compression(),
            timeoutMs,
            security,
            this::gone);
    connect(connection, timeoutMs, () -> service.connected(link, connection), this::dialled);
  }

  private void dialled(LinkConnection connection, Throwable failure) {
    dialling = false;
    if (failure != null) {
      failed((SourceConnection) connection, failure);
    }
  }

  /**
   * Asks the copy at the other end before a promotion; {@code answer} is told once, in the time
   * that a link may be silent or in {@code mostMs}, whichever is less.
   */
  void ask(long mostMs, Consumer<Testimony> answer) {
    long patienceMs = Math.min(timeoutMs, mostMs);
    InquiryConnection inquiry =
        new InquiryConnection(
            replica.link().name(),
            service.core().state().identityFor(""),
            patienceMs,
            security,
            answer);
    connect(
        inquiry,
        patienceMs,
        () -> {},
        (connection, failure) -> {
          if (failure != null) {
            inquiry.failed(ConnectionErrors.reason(failure));
          }
        });
  }

  private <C extends LinkConnection> void connect(
      C connection,
      long patienceMs,
      Runnable initialized,
      BiConsumer<LinkConnection, Throwable> dialled) {
    new Bootstrap()
        .group(owner)
        .channelFactory(channels())
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(patienceMs, 60_000))
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                BlockChannels.prepare(channel);
                if (tls != null) {
                  channel
                      .pipeline()
                      .addLast(
                          "tls",
                          tls.newHandler(
                              channel.alloc(),
                              replica.endpoint().host(),
                              replica.endpoint().port()));
                }
                channel.pipeline().addLast("link", connection);
                initialized.run();
              }
            })
        .connect(replica.endpoint().socketAddress())
        .addListener(done -> dialled.accept(connection, done.cause()));
  }

  private ChannelFactory<Channel> channels() {
    return replica.endpoint().rdma()
        ? RdmaLinkChannel::new
        : new ReflectiveChannelFactory<>(BlockChannels.clientChannel(replica.endpoint()));
  }

  private void failed(SourceConnection connection, Throwable cause) {
    String why = replica.endpoint() + " cannot be reached: " + ConnectionErrors.reason(cause);
    note(why);
    service.connectionGone(link, connection, why);
  }

  /** One line for as long as the reason stays the same. */
  private void note(String why) {
    if (!why.equals(lastFailure)) {
      LOG.info("link {}: {}", replica.link().name(), why);
      lastFailure = why;
    }
  }

  private void gone(SourceConnection connection, String why) {
    if (connection.hasMet() && nowMs - dialledMs > SETTLED_MS) {
      // It had worked for a while: no need to be careful.
      hurry();
    }
    if (connection.hasMet()) {
      lastFailure = "";
    } else {
      note(why);
    }
    service.connectionGone(link, connection, why);
  }
}

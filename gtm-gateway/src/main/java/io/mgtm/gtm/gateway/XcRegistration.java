package io.mgtm.gtm.gateway;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.xc12.RequestEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers a gateway with an original GTM as the original proxy does (proxy_main.c,
 * RegisterProxy): over a postmaster's connection that stays; a registration that was left by an
 * earlier run is taken away first.
 */
final class XcRegistration implements XcConnection.Listener {
  private static final Logger log = LoggerFactory.getLogger(XcRegistration.class);

  private enum Step {
    REGISTERING,
    UNREGISTERING,
    REGISTERING_AGAIN,
    DONE
  }

  private final String name;
  private final HostPort listen;
  private final XcUpstream upstream;
  private final RequestEncoder encoder = new RequestEncoder();
  private Backoff backoff;
  private XcConnection connection;
  private Step step = Step.REGISTERING;
  private boolean accepted;

  XcRegistration(String name, HostPort listen, XcUpstream upstream) {
    this.name = name;
    this.listen = listen;
    this.upstream = upstream;
  }

  void start() {
    backoff = new Backoff(upstream.random());
    connect();
  }

  private void connect() {
    if (!upstream.closed()) {
      accepted = false;
      connection = upstream.connect(NodeType.PROXY_POSTMASTER, true, this);
    }
  }

  @Override
  public void accepted() {
    accepted = true;
    backoff.reset();
    step = Step.REGISTERING;
    register();
  }

  private void register() {
    send(
        new NodeCommand.Register(
            0,
            new NodeCommand.NodeAddress(
                NodeType.PROXY, name, "", listen.host(), listen.port(), "")));
  }

  private void send(Command command) {
    ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer();
    encoder.command(out, false, Command.NO_BACKEND, command);
    connection.send(out);
  }

  @Override
  public void frame(byte type, ByteBuf frame) {
    boolean success = type == 'S';
    switch (step) {
      case REGISTERING -> {
        if (success) {
          step = Step.DONE;
        } else {
          step = Step.UNREGISTERING;
          send(new NodeCommand.Unregister(NodeType.PROXY, name));
        }
      }
      case UNREGISTERING -> {
        step = Step.REGISTERING_AGAIN;
        register();
      }
      case REGISTERING_AGAIN -> {
        if (!success) {
          log.warn(
              "The original GTM does not register this proxy as {}; it is served all the same",
              name);
        }
        step = Step.DONE;
      }
      case DONE -> log.debug("An answer that nothing was asked for");
    }
  }

  @Override
  public void closed(String why) {
    accepted = false;
    upstream.time().after(backoff.nextMs(), this::connect);
  }

  /** The gateway ends: it is no longer registered. */
  void close() {
    if (connection != null) {
      if (accepted) {
        send(new NodeCommand.Unregister(NodeType.PROXY, name));
      }
      connection.close("this gateway closed it");
    }
  }
}

package io.mgtm.gtm.gateway;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what listens at the addresses: it opens a link, and when something was there but did
 * not speak the links' protocol, it says what an original proxy says, and tries a link once more: a
 * node that was about to stop, or had no room, answers that one. It tries until one has answered.
 *
 * <p>A peer that has asked for a secret or for TLS, or has made a link, is a node from then on:
 * there is no way back to the original's protocol, which knows neither.
 */
final class UpstreamProbe {
  private static final Logger log = LoggerFactory.getLogger(UpstreamProbe.class);

  private final List<HostPort> addresses;
  private final TcpLinks sockets;
  private final String name;
  private final GatewayTime time;
  private final Backoff backoff;
  private final Consumer<UpstreamProtocol> found;
  private int next;
  private boolean done;
  private volatile String trouble = "the GTM was not reached yet";

  UpstreamProbe(
      List<HostPort> addresses,
      TcpLinks sockets,
      String name,
      GatewayTime time,
      RandomGenerator random,
      Consumer<UpstreamProtocol> found) {
    this.addresses = addresses;
    this.sockets = sockets;
    this.name = name;
    this.time = time;
    this.backoff = new Backoff(random);
    this.found = found;
  }

  /** What hinders, or empty. Any thread. */
  String trouble() {
    return trouble;
  }

  void stop() {
    done = true;
  }

  void tryNext() {
    if (!done) {
      HostPort address = addresses.get(next);
      next = (next + 1) % addresses.size();
      openLink(address, false);
    }
  }

  private void openLink(HostPort address, boolean accepted) {
    ByLink probe = new ByLink(address, accepted);
    probe.link = sockets.open(address, LinkFormat.VERSION, probe);
  }

  private void failed(HostPort address, String why) {
    if (backoff.isReset()) {
      log.warn("No GTM at {}: {}", address, why);
    }
    trouble = "no GTM at " + address + ": " + why;
    time.after(backoff.nextMs(), this::tryNext);
  }

  private void found(UpstreamProtocol protocol, HostPort address) {
    if (!done) {
      done = true;
      trouble = "";
      log.info(
          "At {} is {}", address, protocol == UpstreamProtocol.XC ? "an original GTM" : "mgtm");
      found.accept(protocol);
    }
  }

  private final class ByLink implements LinkListener {
    private final HostPort address;
    private final boolean accepted;
    private TcpLink link;

    /**
     * A link.
     *
     * @param accepted whether the address has taken a startup packet before
     */
    ByLink(HostPort address, boolean accepted) {
      this.address = address;
      this.accepted = accepted;
    }

    @Override
    public void leadership(Leadership leadership) {
      found(UpstreamProtocol.MGTM, address);
      link.close();
    }

    @Override
    public void refused(long session, RefusalCode code, String message, String hint) {
      found(UpstreamProtocol.MGTM, address);
      link.close();
    }

    @Override
    public void closed(String why) {
      if (done) {
        return;
      }
      if (link.isNode()) {
        found(UpstreamProtocol.MGTM, address);
      } else if (link.wasRejected() && accepted) {
        found(UpstreamProtocol.XC, address);
      } else if (link.wasRejected()) {
        new ByStartup(address).start();
      } else {
        failed(address, why);
      }
    }

    @Override
    public void attached(long session, long last) {}

    @Override
    public void reply(long session, long number, boolean close, ByteBuf bytes) {}

    @Override
    public void pong(long nonce) {}
  }

  private final class ByStartup implements XcConnection.Listener {
    private final HostPort address;
    private XcConnection connection;
    private boolean accepted;

    ByStartup(HostPort address) {
      this.address = address;
    }

    void start() {
      connection = new XcConnection(new Startup(name, NodeType.DEFAULT, false), this);
      sockets.connect(address, bootstrap -> bootstrap.handler(connection), connection::unreachable);
    }

    @Override
    public void accepted() {
      accepted = true;
      connection.close("it was only asked");
    }

    @Override
    public void frame(byte type, ByteBuf frame) {}

    @Override
    public void closed(String why) {
      if (done) {
        return;
      }
      if (accepted) {
        openLink(address, true);
      } else {
        failed(address, why);
      }
    }
  }
}

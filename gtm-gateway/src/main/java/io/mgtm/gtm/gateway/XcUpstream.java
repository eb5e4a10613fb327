package io.mgtm.gtm.gateway;

import io.mgtm.common.HostPort;
import io.mgtm.common.Rarely;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.xc12.Startup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An original GTM, to which this gateway is an original proxy: one connection for all plain
 * clients, one for each client that is a proxy itself, and one over which the gateway is
 * registered. There is no replay: what has no reply when a connection breaks is in doubt, and its
 * clients are closed.
 */
final class XcUpstream implements Upstream {
  private static final Logger log = LoggerFactory.getLogger(XcUpstream.class);

  private final String name;
  private final List<HostPort> addresses;
  private final TcpLinks sockets;
  private final GatewayTime time;
  private final RandomGenerator random;
  private final Runnable flushSoon;
  private final GatewayMetrics metrics;
  private final ReplyRoom room;
  private final Rarely refusals = new Rarely();
  private final XcRegistration registration;
  private final List<XcSession> sessions = new ArrayList<>();
  private final List<XcSession> dirty = new ArrayList<>();
  private XcSession shared;
  private int address;
  private boolean closed;
  private volatile String trouble = "the GTM was not reached yet";
  private volatile String reached = "";

  /**
   * An upstream that is not started.
   *
   * @param listen where the gateway's clients connect, for the registration
   * @param unsentBytes replies that clients have not taken
   */
  XcUpstream(
      String name,
      List<HostPort> addresses,
      HostPort listen,
      TcpLinks sockets,
      GatewayTime time,
      RandomGenerator random,
      Runnable flushSoon,
      LongSupplier unsentBytes,
      GatewayMetrics metrics) {
    this.name = name;
    this.addresses = List.copyOf(addresses);
    this.sockets = sockets;
    this.time = time;
    this.random = random;
    this.flushSoon = flushSoon;
    this.metrics = metrics;
    this.room = new ReplyRoom(() -> unsentBytes.getAsLong() + comingBytes());
    this.registration = new XcRegistration(name, listen, this);
  }

  @Override
  public void start() {
    shared = newSession(false, new Backoff(random));
    registration.start();
  }

  private XcSession newSession(boolean proxied, Backoff backoff) {
    XcSession session = new XcSession(this, proxied, backoff);
    sessions.add(session);
    session.connect();
    return session;
  }

  /** Connects to the GTM that is tried now. */
  XcConnection connect(NodeType type, boolean postmaster, XcConnection.Listener listener) {
    XcConnection connection = new XcConnection(new Startup(name, type, postmaster), listener);
    sockets.connect(
        addresses.get(address),
        bootstrap -> bootstrap.handler(connection),
        connection::unreachable);
    return connection;
  }

  GatewayTime time() {
    return time;
  }

  RandomGenerator random() {
    return random;
  }

  boolean closed() {
    return closed;
  }

  private long comingBytes() {
    return sessions.stream().mapToLong(XcSession::comingBytes).sum();
  }

  /** Why a session's long reply is not passed on; null when it is. */
  ReplyRoom.Refusal refusal(long bytes) {
    ReplyRoom.Refusal refusal = room.refusal(bytes);
    if (refusal != null) {
      refusals.run(more -> log.warn("A reply is not passed on: {}{}", refusal.message(), more));
    }
    return refusal;
  }

  void dirty(XcSession session) {
    dirty.add(session);
    flushSoon.run();
  }

  /** A session's connection was accepted. */
  void accepted(XcSession session) {
    if (session == shared) {
      reached = addresses.get(address).toString();
      trouble = "";
      log.info("Connected to the original GTM at {}", reached);
    }
  }

  /** A session's connection could not be opened; the session tries again. */
  void unreachable(XcSession session, boolean first, String why) {
    if (session == shared) {
      if (first) {
        log.warn("No connection to the original GTM at {}: {}", addresses.get(address), why);
      }
      trouble = "the original GTM at " + addresses.get(address) + " is not reached: " + why;
      address = (address + 1) % addresses.size();
    }
  }

  /** A session's connection broke, and the session with it. */
  void broken(XcSession session, String why) {
    if (closed) {
      return;
    }
    sessions.remove(session);
    dirty.remove(session);
    if (session == shared) {
      log.error(
          "The connection to the original GTM at {} broke: {}. {} commands are in doubt, clients are closed",
          reached,
          why,
          session.pending());
      metrics.sessionsLost.increment();
      trouble = "the connection to the original GTM broke: " + why;
      shared = newSession(false, new Backoff(random));
    }
  }

  void ended(XcSession session) {
    sessions.remove(session);
    dirty.remove(session);
  }

  @Override
  public UpstreamSession shared() {
    return shared;
  }

  @Override
  public UpstreamSession open() {
    return newSession(true, new Backoff(random));
  }

  @Override
  public void flush() {
    for (int i = 0; i < dirty.size(); i++) {
      dirty.get(i).flush();
    }
    dirty.clear();
  }

  @Override
  public String trouble() {
    return trouble;
  }

  @Override
  public String describe() {
    return "an original GTM at " + reached;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      flush();
      registration.close();
      List.copyOf(sessions).forEach(XcSession::close);
    }
  }
}

package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Keeps links to every node that is known, and the choice of the leader among them: that with the
 * highest term of those which say that they lead. Broken links are opened again with back-off.
 *
 * <p>A leader is given up for one with a higher term, when its link breaks, when it says that it no
 * longer leads, or when it does not answer a ping for {@link LinkPulse#ANSWER_MS} while another
 * says that it leads. Pings go out often while something is outstanding, and else as a sign of
 * life.
 *
 * <p>Only a node of the group that is served is taken for the leader; {@link GroupChoice} says
 * which that is.
 */
final class LinkSet {
  private static final Logger log = LoggerFactory.getLogger(LinkSet.class);

  /** Between two pings, while something is outstanding. */
  static final int PING_MS = 500;

  /** So long the nodes of the list are waited for before one's group is taken for the one. */
  static final int SURVEY_MS = 1_000;

  /** A link that held for this long was good; the next try comes soon. */
  private static final int GOOD_MS = 1_000;

  /** Nodes beyond those that were configured, which leaders were told to be. */
  private static final int LEARNT_MAX = 16;

  private final Function<String, LinkConnector> connectors;
  private final LeaderListener listener;
  private final GatewayTime time;
  private final RandomGenerator random;
  private final List<Endpoint> endpoints = new ArrayList<>();
  private final GroupChoice groups = new GroupChoice();
  private int learnt;
  private Connection current;
  private long currentTerm;
  private boolean pinging;
  private boolean closed;
  private volatile String lastFailure = "";

  /**
   * Links to nothing yet.
   *
   * @param connectors makes what connects to a node that others told of, from its {@code host:port}
   */
  LinkSet(
      Function<String, LinkConnector> connectors,
      LeaderListener listener,
      GatewayTime time,
      RandomGenerator random) {
    this.connectors = connectors;
    this.listener = listener;
    this.time = time;
    this.random = random;
  }

  /** Keeps a link to a node from now on. */
  void add(LinkConnector connector) {
    if (endpoints.isEmpty()) {
      time.after(SURVEY_MS, this::endSurvey);
      time.after(LinkFormat.BEAT_MS, this::beat);
    }
    Endpoint endpoint = new Endpoint(connector);
    endpoints.add(endpoint);
    endpoint.dial();
  }

  /** Where a link failed last, and why; empty when none did. Any thread. */
  String lastFailure() {
    return lastFailure;
  }

  /** What is wrong with a node that was of another group when it was heard last, or empty. */
  String stranger() {
    return groups.stranger();
  }

  /** Who has not answered by now is not waited for. */
  private void endSurvey() {
    groups.endSurvey();
    if (current == null && !closed) {
      choose("");
    }
  }

  /** Something is outstanding: pings begin unless they have. */
  void watch() {
    if (!pinging && !closed) {
      pinging = true;
      time.after(PING_MS, this::ping);
    }
  }

  private void ping() {
    pinging = false;
    if (closed || listener.outstanding() == 0) {
      endpoints.forEach(Endpoint::forgetPing);
      return;
    }
    pingAll();
    watch();
  }

  private void beat() {
    if (!closed) {
      if (!pinging) {
        pingAll();
      }
      time.after(LinkFormat.BEAT_MS, this::beat);
    }
  }

  private void pingAll() {
    // A link that is found dead is taken out of no list here: closed comes later.
    for (Endpoint endpoint : endpoints) {
      if (endpoint.connection != null && endpoint.connection.leadership != null) {
        endpoint.connection.ping();
      }
    }
    choose("its node does not answer");
  }

  /**
   * The leader does not serve a session: its leadership, which follows, decides who is asked next.
   * Whoever else was asked now might attach the session behind the back of that one.
   */
  void leaderRefused() {
    current.refusedToLead = true;
    current = null;
    listener.nobodyLeads("its node does not serve the session");
  }

  private void choose(String why) {
    Connection best = current != null && current.leads() ? current : null;
    Connection answering = null;
    for (Endpoint endpoint : endpoints) {
      Connection connection = endpoint.connection;
      if (connection == null || !connection.leads()) {
        continue;
      }
      long term = connection.leadership.term();
      boolean home = endpoint.connector.home();
      if (best == null
          || term > best.leadership.term()
          || (home && term == best.leadership.term())) {
        best = connection;
      }
      if (!connection.pulse.isSilent()
          && (answering == null || term > answering.leadership.term())) {
        answering = connection;
      }
    }
    if (best != null && best.pulse.isSilent() && answering != null) {
      best = answering;
    }
    lead(best, why);
  }

  private void lead(Connection best, String why) {
    if (best == null) {
      if (current != null) {
        current = null;
        listener.nobodyLeads(why);
      }
    } else if (best != current || best.leadership.term() != currentTerm) {
      if (!groups.takes(best.leadership.group(), current == null)) {
        return;
      }
      current = best;
      currentTerm = best.leadership.term();
      listener.leads(best.link, best.leadership);
    }
  }

  private void learn(Leadership leadership) {
    String address = leadership.leaderAddress();
    if (leadership.leader().isEmpty() || address.isEmpty()) {
      return;
    }
    for (Endpoint endpoint : endpoints) {
      boolean sameMember = leadership.leader().equals(endpoint.node.member());
      if (sameMember || endpoint.connector.address().equals(address)) {
        return;
      }
    }
    if (learnt < LEARNT_MAX) {
      learnt++;
      try {
        LinkConnector connector = connectors.apply(address);
        log.info("Told of {} at {}", leadership.leader(), address);
        add(connector);
      } catch (IllegalArgumentException e) {
        log.warn("Told of {}: {}", leadership.leader(), e.getMessage());
      }
    }
  }

  /** Closes every link for good. */
  void close() {
    closed = true;
    current = null;
    for (Endpoint endpoint : endpoints) {
      if (endpoint.connection != null) {
        endpoint.connection.link.close();
      }
    }
  }

  /** One node. */
  private final class Endpoint {
    private final LinkConnector connector;
    private final Backoff backoff = new Backoff(random);
    private final GroupChoice.Node node;
    private Connection connection;

    private boolean refuses; // It takes links, and refused what came on the last one.
    private String said = ""; // Why it was not linked, when that was said last.

    Endpoint(LinkConnector connector) {
      this.connector = connector;
      this.node = groups.add(connector.address());
    }

    void dial() {
      if (!closed) {
        connection = new Connection(this);
        connection.link = connector.connect(connection);
      }
    }

    void closed(Connection of, String why) {
      if (of.leadership == null || of.refused) {
        log.atLevel(why.equals(said) ? Level.DEBUG : Level.WARN)
            .log("No link to {}: {}", connector.address(), why);
        said = why;
      } else {
        log.info("Lost the link to {} at {}: {}", node.member(), connector.address(), why);
        if (time.nanos() - of.openedNanos > TimeUnit.MILLISECONDS.toNanos(GOOD_MS)) {
          backoff.reset();
        }
      }
      refuses |= of.refused;
      connection = null;
      boolean first = node.lost();
      listener.closed(of.link);
      of.leadership = null;
      lastFailure = connector.address() + ": " + why;
      time.after(backoff.nextMs(), this::dial);
      if (of == current || (current == null && (first || of.refusedToLead))) {
        choose("its link broke: " + why);
      }
    }

    void linked() {
      said = refuses ? said : "";
      log.atLevel(refuses ? Level.DEBUG : Level.INFO)
          .log("Linked to {} at {}", node.member(), connector.address());
    }

    void attached() {
      if (refuses) {
        refuses = false;
        backoff.reset();
        linked();
      }
    }

    void forgetPing() {
      if (connection != null) {
        connection.pulse.forget();
      }
    }
  }

  /** One link. */
  private final class Connection implements LinkListener {
    private final Endpoint endpoint;
    private Link link;
    private Leadership leadership;
    private long openedNanos;
    private final LinkPulse pulse = new LinkPulse(time);
    private boolean refusedToLead;
    private boolean attached;
    private boolean refused;

    Connection(Endpoint endpoint) {
      this.endpoint = endpoint;
    }

    boolean leads() {
      return leadership != null
          && leadership.leading()
          && !refusedToLead
          && groups.has(leadership.group());
    }

    void ping() {
      if (pulse.ask()) {
        link.ping(pulse.nonce());
        link.flush();
      } else if (pulse.isDead()) {
        link.close();
      }
    }

    @Override
    public void leadership(Leadership now) {
      boolean first = leadership == null;
      leadership = now;
      endpoint.node.heard(now.member(), now.group());
      if (first) {
        openedNanos = time.nanos();
        endpoint.linked();
      }
      refusedToLead = false;
      groups.lookForStrangers();
      choose("its node no longer leads");
      if (groups.has(now.group())) {
        learn(now);
      }
    }

    @Override
    public void attached(long session, long last) {
      if (this == current) {
        attached = true;
        endpoint.attached();
        listener.attached(session, last);
      }
    }

    @Override
    public void refused(long session, RefusalCode code, String message, String hint) {
      if (this == current) {
        refused |= session == 0 && !attached;
        listener.refused(session, code, message, hint);
      }
    }

    @Override
    public void reply(long session, long number, boolean close, ByteBuf bytes) {
      if (this == current) {
        listener.reply(session, number, close, bytes);
      }
    }

    @Override
    public void pieces(long session, long number, long id, long bytes) {
      if (this == current) {
        listener.pieces(session, number, id, bytes);
      }
    }

    @Override
    public void piece(long id, ByteBuf bytes) {
      listener.piece(link, id, bytes);
    }

    @Override
    public void garbled() {
      if (this == current) {
        listener.garbled();
      }
    }

    @Override
    public void entries(LinkEntries entries) {
      if (this == current) {
        listener.entries(entries);
      }
    }

    @Override
    public void pong(long nonce) {
      pulse.answered(nonce);
    }

    @Override
    public void closed(String why) {
      endpoint.closed(this, why);
    }
  }
}

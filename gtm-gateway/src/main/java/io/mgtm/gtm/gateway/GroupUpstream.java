package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.agrona.collections.Long2ObjectHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of a gateway with a group, at whichever node leads. A session's commands wait while
 * nobody leads; at a new leader everything without a reply is sent again in order.
 *
 * <p>Invariants: each command is answered once, in the order of its session; a command is sent
 * again only under its own number and session; a session that the group does not know any more is
 * never used again once a command was sent in it; sessions in use are attached before new ones; the
 * entries that a reply depends on are kept until they are stable, and presented to a new leader
 * before a session is attached there.
 */
final class GroupUpstream implements Upstream, LeaderListener {
  private static final Logger log = LoggerFactory.getLogger(GroupUpstream.class);

  private static final int SCRATCH_BYTES = 64 * 1024;
  private static final int PRESENT_BYTES = 1 << 20;
  private static final long FIRST_TERM = 1;

  /** Before a refused session is tried again; twice as long each time. */
  static final int RETRY_MS = 500;

  /** The longest wait before that. */
  static final int RETRY_MS_MAX = 8_000;

  private final String name;
  private final GatewayTime time;
  private final RandomGenerator random;
  private final Runnable flushSoon;
  private final GatewayMetrics metrics;
  private final LinkSet links;
  private final List<LinkConnector> nodes;
  private final Failover failover;
  private final LongSupplier ids;
  private final ByteBuf scratch = PooledByteBufAllocator.DEFAULT.directBuffer(SCRATCH_BYTES);
  private final CommandBuffer commands = new CommandBuffer();
  private final KeptEntries kept = new KeptEntries();
  private final Long2ObjectHashMap<GroupSession> sessions = new Long2ObjectHashMap<>();
  private final List<PulledReply> pulled = new ArrayList<>();
  private final List<GroupSession> dirty = new ArrayList<>();
  private final List<GroupSession> resuming = new ArrayList<>();
  private GroupSession shared;
  private Link leader;
  private long leaderTerm;
  private boolean closed;
  private volatile String trouble = "no node of the group was reached yet";
  private volatile String leading = "";

  /**
   * An upstream that is not started.
   *
   * @param name of the gateway
   * @param flushSoon lets {@link #flush} be called at the end of the event loop's batch
   */
  GroupUpstream(
      String name,
      LinkNodes nodes,
      GatewayTime time,
      RandomGenerator random,
      Runnable flushSoon,
      GatewayMetrics metrics) {
    this.name = name;
    this.nodes = nodes.known();
    this.time = time;
    this.random = random;
    this.flushSoon = flushSoon;
    this.metrics = metrics;
    this.links = new LinkSet(nodes.learnt(), this, time, random);
    this.failover = new Failover(time, metrics);
    this.ids = () -> (random.nextLong() & (LinkFormat.SESSION_BIT - 1)) | LinkFormat.SESSION_BIT;
    this.shared = newSession(false);
  }

  private GroupSession newSession(boolean proxied) {
    long id = ids.getAsLong();
    while (sessions.containsKey(id)) {
      id = ids.getAsLong();
    }
    GroupSession session = new GroupSession(id, proxied, this);
    sessions.put(id, session);
    if (leader != null) {
      attach(session);
      flushSoon.run();
    }
    return session;
  }

  @Override
  public void start() {
    nodes.forEach(links::add);
  }

  @Override
  public UpstreamSession shared() {
    return shared;
  }

  @Override
  public void serves(boolean clients) {
    if (!clients) {
      shared.close();
    } else if (!closed && shared.state() == GroupSession.State.ENDED) {
      shared = newSession(false);
    }
  }

  @Override
  public UpstreamSession open() {
    return newSession(true);
  }

  /** Where commands are encoded. */
  CommandBuffer commands() {
    return commands;
  }

  void dirty(GroupSession session) {
    dirty.add(session);
    flushSoon.run();
  }

  void resume(GroupSession session) {
    if (!resuming.contains(session)) {
      resuming.add(session);
      flushSoon.run();
    }
  }

  @Override
  public void flush() {
    // What goes on now may add commands to the sessions, which then leave with the others.
    for (int i = 0; i < resuming.size(); i++) {
      resuming.get(i).resumeWaiting();
    }
    resuming.clear();
    for (int i = 0; i < dirty.size(); i++) {
      dirty.get(i).send(leader, scratch);
    }
    dirty.clear();
    if (leader != null) {
      leader.flush();
    }
    links.watch();
  }

  @Override
  public int outstanding() {
    int pending = pulled.size();
    for (GroupSession session : sessions.values()) {
      pending += session.pending();
    }
    return pending;
  }

  @Override
  public void leads(Link link, Leadership leadership) {
    leader = link;
    leaderTerm = leadership.term();
    leading = leadership.member() + " in term " + leadership.term();
    trouble = "the leader has not taken the session yet";
    failover.leads(leadership, outstanding());
    dirty.clear();
    if (kept.term() < leaderTerm) {
      kept.pieces(PRESENT_BYTES).forEach(link::present);
    }
    sessions.values().forEach(GroupSession::leaderChanged);
    attachAll();
    link.flush();
  }

  /** One that begins ends those of its gateway that are not attached, so those in use go first. */
  private void attachAll() {
    sessions.values().stream().filter(session -> !session.fresh()).forEach(this::attach);
    sessions.values().stream().filter(GroupSession::fresh).forEach(this::attach);
  }

  /**
   * Nothing is replayed with it in the first term, in which groups of mode total always are: a
   * session that goes to and fro between two members there would meet the refusals of what it sent
   * before, and go on for ever.
   */
  private void attach(GroupSession session) {
    session.attach(leader, leaderTerm > FIRST_TERM, scratch);
  }

  @Override
  public boolean showsBackups() {
    return true;
  }

  @Override
  public void entries(LinkEntries entries) {
    try {
      kept.add(entries);
    } catch (IllegalArgumentException e) {
      log.error(
          "The leader gave entries out of their order, reopening the link: {}", e.getMessage());
      leader.close();
    }
  }

  @Override
  public void nobodyLeads(String why) {
    leader = null;
    leading = "";
    trouble = "no node of the group leads";
    failover.nobodyLeads(why);
    dirty.clear();
    for (GroupSession session : sessions.values()) {
      session.detached();
    }
  }

  @Override
  public void attached(long id, long last) {
    kept.served(leaderTerm);
    GroupSession session = sessions.get(id);
    if (session == null || session.state() != GroupSession.State.ATTACHING) {
      return;
    }
    if (!session.attached(last)) {
      lose(session, "the group knows commands of this session that were never sent", "");
    } else if (session == shared) {
      trouble = "";
      failover.attached(session.pending());
    }
  }

  @Override
  public void refused(long id, RefusalCode code, String message, String hint) {
    GroupSession session = sessions.get(id);
    if (session == null) {
      return; // It has ended meanwhile; or it is the link's refusal, which LinkSet tells.
    }
    dirty.remove(session);
    switch (code) {
      case SESSION_LOST -> lose(session, message, hint);
      case NOT_LEADING -> {
        // One that waits was refused before, and its commands with it.
        if (session.state() != GroupSession.State.WAITING) {
          links.leaderRefused();
        }
      }
      default -> {
        int refusals = session.refused();
        if (refusals == 1) {
          log.warn("The leader refuses a session of {}: {}. {}", name, message, hint);
        }
        trouble = "the leader refuses the session: " + message + ". " + hint;
        Link asked = leader;
        int wait = (int) Math.min(RETRY_MS_MAX, (long) RETRY_MS << Math.min(refusals - 1, 8));
        time.after(wait + random.nextInt(RETRY_MS), () -> retry(session, asked));
      }
    }
  }

  private void retry(GroupSession session, Link asked) {
    if (leader == asked && session.state() == GroupSession.State.WAITING && !closed) {
      attach(session);
      leader.flush();
    }
  }

  /** Never silently again: who waits is told, and all clients of the session start over. */
  private void lose(GroupSession session, String message, String hint) {
    log.error(
        "A session with the group is lost: {}. {} commands are in doubt, its clients are closed",
        message,
        session.pending());
    metrics.sessionsLost.increment();
    sessions.remove(session.id());
    dirty.remove(session);
    resuming.remove(session);
    if (session == shared) {
      shared = newSession(false);
    }
    session.lost("the session with the GTM was lost: " + message, hint);
  }

  @Override
  public void reply(long id, long number, boolean close, ByteBuf bytes) {
    answered(id, number, target -> target.reply(close, bytes));
  }

  @Override
  public void pieces(long id, long number, long list, long bytes) {
    PulledReply reply = new PulledReply(leader, list, bytes, pulled::remove);
    pulled.add(reply);
    boolean[] taken = {false};
    answered(
        id,
        number,
        target -> {
          taken[0] = true;
          target.pieces(reply);
        });
    if (!taken[0]) {
      reply.drop();
    }
  }

  @Override
  public void piece(Link link, long list, ByteBuf bytes) {
    for (PulledReply reply : List.copyOf(pulled)) {
      if (reply.is(link, list) && !reply.piece(bytes)) {
        log.error("A node sent a piece that was not asked for; reopening the link");
        link.close();
      }
    }
  }

  @Override
  public void closed(Link link) {
    List.copyOf(pulled).stream().filter(r -> r.comesBy(link)).forEach(PulledReply::lost);
  }

  @Override
  public void garbled() {
    sessions.values().forEach(GroupSession::garbled);
  }

  private void answered(long id, long number, Consumer<ReplyTarget> tell) {
    GroupSession session = sessions.get(id);
    if (session == null) {
      return; // Its client has gone.
    }
    if (!session.reply(number, tell)) {
      log.error(
          "The leader sent reply {} of a session out of its order; reopening the link", number);
      leader.close();
      return;
    }
    failover.answered();
  }

  /** A session is not needed any more; what it has not sent leaves before. */
  void end(GroupSession session) {
    sessions.remove(session.id());
    dirty.remove(session);
    resuming.remove(session);
    if (leader != null && session.state() != GroupSession.State.WAITING) {
      session.send(leader, scratch);
      leader.closeSession(session.id());
      flushSoon.run();
    }
  }

  @Override
  public String trouble() {
    String stranger = links.stranger();
    String now =
        trouble.isEmpty() || stranger.isEmpty() ? trouble + stranger : trouble + "; " + stranger;
    String failure = stranger.isEmpty() ? links.lastFailure() : "";
    return now.isEmpty() || failure.isEmpty() ? now : now + "; last failure at " + failure;
  }

  @Override
  public String describe() {
    return leading.isEmpty() ? "a group without a leader" : "a group led by " + leading;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (GroupSession session : List.copyOf(sessions.values())) {
      session.close();
    }
    if (leader != null) {
      leader.flush();
    }
    links.close();
    scratch.release();
  }
}

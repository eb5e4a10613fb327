package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionReply;
import java.util.List;
import java.util.SortedMap;

/**
 * Everything a GTM knows, and what each command does to it. One thread calls it; the same commands
 * at the same times give the same state and replies everywhere.
 *
 * <p>Each log entry is one {@link #beginEntry} and an {@link #apply} for each of its commands.
 * After each apply, {@link #effect} says whether the command changed anything and what must be
 * stored.
 */
public final class GtmState {
  /** What is open now, for metrics and operators. */
  public record Counts(
      int transactions, int prepared, int sequences, int nodes, int sessions, long nextGxid) {}

  private final Tables tables;
  private final Applying applying = new Applying();
  private final Rules rules;

  /** Whether the entry that is being applied is one of the term's. */
  private boolean counts;

  /** The time of the newest entry that changed anything: it is in the log, as the state is. */
  private long changedMicros;

  /** The backup that this state was restored from, 0 for none. */
  private int restoredFrom;

  /** What has come of a backup that is being restored. */
  private Restoring restoring = new Restoring();

  /**
   * An empty state.
   *
   * @param firstGxid the gxid that the first begin gets; if its low 32 bits are 0 to 2, the one
   *     after
   */
  public GtmState(long firstGxid) {
    this(from(new GxidAllocator(firstGxid)));
  }

  /**
   * A state whose gxids have not started: before anything else, a new group applies {@link
   * TransactionCommand.StartGxids}, after the sequences that it takes over.
   */
  public static GtmState empty() {
    return new GtmState(Tables.of(GxidAllocator.notStarted(), 0));
  }

  private static Tables from(GxidAllocator gxids) {
    return Tables.of(gxids, GxidMath.previous(gxids.next()));
  }

  GtmState(Tables tables) {
    this.tables = tables;
    rules = new Rules(tables, applying);
  }

  /**
   * The state as it is now, which stays so while this one goes on: to be encoded by any thread, or
   * to be asked for lists. It costs the owner no more than a copy of what is open; sequences are
   * shared until they change.
   */
  public GtmState picture() {
    GtmState picture = new GtmState(tables.picture());
    picture.setLimits(limits());
    picture.changedMicros = changedMicros;
    picture.restoredFrom = restoredFrom;
    picture.restoring = restoring.picture();
    return picture;
  }

  /** Sets what is admitted from here on; {@link Limits#NONE} until then. */
  public void setLimits(Limits limits) {
    applying.limits = limits;
  }

  /** What is admitted. */
  public Limits limits() {
    return applying.limits;
  }

  /**
   * Begins a log entry.
   *
   * @param nowMicros the time that its commands see: µs since 2000-01-01, stamped by the leader
   */
  public void beginEntry(long nowMicros) {
    counts = false;
    applying.entry++;
    applying.nowMicros = nowMicros;
  }

  /** Applies one command; never throws for what a client sent. */
  public Reply apply(Command command) {
    Reply reply = rules.apply(command);
    if (applying.effect != Effect.NONE) {
      changedMicros = applying.nowMicros;
      counts |= command.type() != CommandType.ANNOUNCE_MEMBER;
    }
    return reply;
  }

  /** What the last {@link #apply} did. */
  public Effect effect() {
    return applying.effect;
  }

  /** Whether {@link TransactionCommand.StartGxids} was applied. */
  public boolean started() {
    return tables.gxids().started();
  }

  /** Whether a session is open. */
  public boolean hasSession(long session) {
    return tables.sessions().contains(session);
  }

  /**
   * A gateway's session.
   *
   * @param last the highest number of a command that had an effect, 0 before there is one
   */
  public record GatewayInfo(
      long session, String gateway, GatewayKind kind, boolean proxied, long last) {}

  /** A gateway's session, or null when there is none. */
  public GatewayInfo gateway(long session) {
    GatewaySession s = tables.sessions().gateway(session);
    return s == null ? null : info(s);
  }

  /** What a command of a session was answered that had its effect already, or null. */
  public Reply replied(long session, long number) {
    GatewaySession s = tables.sessions().gateway(session);
    return s == null ? null : s.replyTo(number);
  }

  private static GatewayInfo info(GatewaySession s) {
    return new GatewayInfo(s.id(), s.gateway(), s.kind(), s.proxied(), s.last());
  }

  /** The sessions of gateways, by id. */
  public List<GatewayInfo> gateways() {
    return tables.sessions().gateways().stream().map(GtmState::info).toList();
  }

  /** Where gateways reach members that have led, {@code host:port} by name. */
  public SortedMap<String, String> memberAddresses() {
    return tables.members().addresses();
  }

  /**
   * An entry of the log was applied whole; called once for each, on every member.
   *
   * @return whether it counts as one of the term's: one that only tells where a member is does not,
   *     so that it may come between those that a recovery brings back
   */
  public boolean entryDone() {
    if (counts) {
      tables.served().count();
    }
    return counts;
  }

  /** Mode lazy: entries that clients have seen the effect of may be missing before this place. */
  public void entriesMayBeMissing() {
    tables.served().recover();
  }

  /** The leader that served last, in mode lazy. */
  public ServedTerm served() {
    return tables.served().picture();
  }

  /** The time of the newest change, µs since 2000-01-01; a leader's next entry is not before it. */
  public long changedMicros() {
    return changedMicros;
  }

  void restoreChangedMicros(long micros) {
    changedMicros = micros;
  }

  /** The backup that this state was restored from, 0 for none. */
  public int restoredFrom() {
    return restoredFrom;
  }

  /** This state is that of a backup, and stands for itself from now on. */
  public void setRestoredFrom(int backup) {
    restoredFrom = backup;
  }

  /** What has come of a backup that is being restored. */
  public Restoring restoring() {
    return restoring;
  }

  /** A backup is to be restored, from its beginning, or as far as it has come. */
  public void setRestoring(Restoring begun) {
    restoring = begun;
  }

  /** What is open now. */
  public Counts counts() {
    TransactionTable table = tables.transactions();
    return new Counts(
        table.count(),
        table.preparedCount(),
        tables.sequences().count(),
        tables.nodes().count(),
        tables.sessions().count(),
        tables.gxids().next());
  }

  /** The registered nodes, so many at most. */
  public List<NodeReply.NodeInfo> nodes(int max) {
    return tables.nodes().list(max);
  }

  /** The counters of transactions, without any of them. */
  public TransactionReply.TransactionList counters() {
    return rules.transactions().counters(List.of());
  }

  /** How many gxids may still be given before begins are refused; negative when they are. */
  public long gxidsUntilStop() {
    return tables.gxids().stopAt(limits()) - tables.gxids().next();
  }

  /** How many gxids may still be given before warnings start. */
  public long gxidsUntilWarning() {
    return tables.gxids().warnAt(limits()) - tables.gxids().next();
  }

  Tables tables() {
    return tables;
  }
}

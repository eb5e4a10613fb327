package io.mgtm.gtm.state;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.SnapshotCommand;
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

  private final TransactionRules transactions;
  private final SequenceTable sequences;
  private final NodeRegistry nodes;
  private final SessionTable sessions;
  private final BarrierLog barriers;
  private final MemberTable members;
  private ServedTerm served = new ServedTerm();

  /** Whether the entry that is being applied is one of the term's. */
  private boolean counts;

  private Limits limits = Limits.NONE;
  private Effect effect = Effect.NONE;
  private long entry;
  private long nowMicros;

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
    this(transactionsFrom(firstGxid), new SequenceTable(), new NodeRegistry());
  }

  /**
   * A state whose gxids have not started: before anything else, a new group applies {@link
   * TransactionCommand.StartGxids}, after the sequences that it takes over.
   */
  public static GtmState empty() {
    return new GtmState(
        new TransactionRules(GxidAllocator.notStarted(), new TransactionTable(0), 0),
        new SequenceTable(),
        new NodeRegistry());
  }

  private GtmState(TransactionRules transactions, SequenceTable sequences, NodeRegistry nodes) {
    this(transactions, sequences, nodes, new SessionTable(), new BarrierLog(), new MemberTable());
  }

  GtmState(
      TransactionRules transactions,
      SequenceTable sequences,
      NodeRegistry nodes,
      SessionTable sessions,
      BarrierLog barriers,
      MemberTable members) {
    this.transactions = transactions;
    this.sequences = sequences;
    this.nodes = nodes;
    this.sessions = sessions;
    this.barriers = barriers;
    this.members = members;
  }

  /**
   * The state as it is now, which stays so while this one goes on: to be encoded by any thread, or
   * to be asked for lists. It costs the owner no more than a copy of what is open; sequences are
   * shared until they change.
   */
  public GtmState picture() {
    GtmState picture =
        new GtmState(
            transactions.picture(),
            sequences.picture(),
            nodes.picture(),
            sessions.picture(),
            barriers.picture(),
            members.picture());
    picture.limits = limits;
    picture.served = served.picture();
    picture.changedMicros = changedMicros;
    picture.restoredFrom = restoredFrom;
    picture.restoring = restoring.picture();
    return picture;
  }

  private static TransactionRules transactionsFrom(long firstGxid) {
    GxidAllocator gxids = new GxidAllocator(firstGxid);
    long latestCompleted = GxidMath.previous(gxids.next());
    return new TransactionRules(gxids, new TransactionTable(latestCompleted), 0);
  }

  /** Sets what is admitted from here on; {@link Limits#NONE} until then. */
  public void setLimits(Limits limits) {
    this.limits = limits;
    transactions.setLimits(limits);
  }

  /** What is admitted. */
  public Limits limits() {
    return limits;
  }

  /**
   * Begins a log entry.
   *
   * @param nowMicros the time that its commands see: µs since 2000-01-01, stamped by the leader
   */
  public void beginEntry(long nowMicros) {
    entry++;
    counts = false;
    this.nowMicros = nowMicros;
    transactions.beginEntry(entry, nowMicros);
  }

  /** Applies one command; never throws for what a client sent. */
  public Reply apply(Command command) {
    Reply reply =
        command instanceof SessionCommand.Numbered numbered
            ? applyNumbered(numbered)
            : applyOnce(command);
    if (effect != Effect.NONE) {
      changedMicros = nowMicros;
      counts |= command.type() != CommandType.ANNOUNCE_MEMBER;
    }
    return reply;
  }

  /** A gateway's command: one that had an effect is not done again. */
  private Reply applyNumbered(SessionCommand.Numbered command) {
    effect = Effect.NONE;
    GatewaySession session = sessions.gateway(command.session());
    if (session == null) {
      return new Reply.Rejected(
          Reply.Reason.SESSION_LOST, "the session has ended", "Connect again.");
    }
    Reply known = session.replyTo(command.number());
    if (known != null) {
      return known;
    }
    Reply reply = applyOnce(command.inner());
    if (effect != Effect.NONE) {
      session.done(command.number(), command.acked(), reply);
    }
    return reply;
  }

  private Reply applyOnce(Command command) {
    if (command instanceof TransactionCommand c) {
      Reply reply = transactions.apply(c);
      effect = transactions.effect();
      return reply;
    } else if (command instanceof SnapshotCommand c) {
      Reply reply = transactions.snapshots().apply(c);
      effect = transactions.effect();
      return reply;
    } else if (command instanceof SequenceCommand c) {
      Reply reply = sequences.apply(c, limits, entry);
      effect = sequences.effect();
      return reply;
    } else if (command instanceof SessionCommand c) {
      return applySession(c);
    } else if (command instanceof NodeCommand c) {
      return applyNode(c);
    }
    return applyBackup((BackupCommand) command);
  }

  /** What the last {@link #apply} did. */
  public Effect effect() {
    return effect;
  }

  private Reply applySession(SessionCommand command) {
    if (command instanceof SessionCommand.OpenSession c) {
      sessions.open(
          new SessionTable.Session(c.session(), c.nodeName(), c.nodeType(), c.postmaster()));
      effect = Effect.LOGGED;
    } else if (command instanceof SessionCommand.CloseSession c) {
      boolean changed = transactions.endSession(c.session(), Command.NO_BACKEND);
      changed |= nodes.disconnectSession(c.session());
      changed |= sessions.close(c.session());
      effect = changed ? Effect.LOGGED : Effect.NONE;
    } else if (command instanceof SessionCommand.DisconnectBackend c) {
      boolean changed = transactions.endSession(c.session(), c.backend());
      if (c.postmaster()) {
        changed |= nodes.disconnect(c.session(), c.nodeType(), c.nodeName());
      }
      effect = changed ? Effect.LOGGED : Effect.NONE;
    } else if (command instanceof SessionCommand.OpenGateway c) {
      boolean known = sessions.contains(c.session());
      if (!known) {
        sessions.open(new GatewaySession(c.session(), c.gateway(), c.kind(), c.proxied()));
      }
      effect = known ? Effect.NONE : Effect.LOGGED;
    } else if (command instanceof SessionCommand.AnnounceMember c) {
      effect = members.announce(c.member(), c.address()) ? Effect.LOGGED : Effect.NONE;
    } else if (command instanceof SessionCommand.ServeTerm c) {
      served.begin(c.term(), c.member());
      effect = Effect.FORCED;
    } else if (command instanceof SessionCommand.SkipAhead c) {
      transactions.skipAhead(c.gxids());
      sequences.skipReserved();
      effect = Effect.FORCED;
    } else if (command instanceof SessionCommand.Restart c) {
      transactions.restart(c.clean());
      if (!c.clean()) {
        sequences.skipReserved();
      }
      nodes.disconnectAll();
      sessions.clear();
      served = new ServedTerm();
      effect = Effect.FORCED;
    }
    return Reply.None.INSTANCE;
  }

  private Reply applyNode(NodeCommand command) {
    effect = Effect.NONE;
    if (command instanceof NodeCommand.ListAll) {
      return nodes.list();
    }
    Reply reply =
        command instanceof NodeCommand.Register c
            ? nodes.register(c, limits)
            : nodes.unregister((NodeCommand.Unregister) command);
    effect = reply instanceof Reply.Rejected ? Effect.NONE : Effect.FORCED;
    return reply;
  }

  private Reply applyBackup(BackupCommand command) {
    effect = Effect.NONE;
    if (command instanceof BackupCommand.Barrier c) {
      barriers.add(new BackupReply.BarrierInfo(c.id(), transactions.gxids().next(), nowMicros));
      effect = Effect.FORCED;
    } else if (command instanceof BackupCommand.ListBarriers) {
      return new BackupReply.BarrierList(barriers.list());
    }
    return new BackupReply.Done(command.type());
  }

  /** Whether {@link TransactionCommand.StartGxids} was applied. */
  public boolean started() {
    return transactions.gxids().started();
  }

  /** Whether a session is open. */
  public boolean hasSession(long session) {
    return sessions.contains(session);
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
    GatewaySession s = sessions.gateway(session);
    return s == null ? null : info(s);
  }

  /** What a command of a session was answered that had its effect already, or null. */
  public Reply replied(long session, long number) {
    GatewaySession s = sessions.gateway(session);
    return s == null ? null : s.replyTo(number);
  }

  private static GatewayInfo info(GatewaySession s) {
    return new GatewayInfo(s.id(), s.gateway(), s.kind(), s.proxied(), s.last());
  }

  /** The sessions of gateways, by id. */
  public List<GatewayInfo> gateways() {
    return sessions.gateways().stream().map(GtmState::info).toList();
  }

  /** Where gateways reach members that have led, {@code host:port} by name. */
  public SortedMap<String, String> memberAddresses() {
    return members.addresses();
  }

  /**
   * An entry of the log was applied whole; called once for each, on every member.
   *
   * @return whether it counts as one of the term's: one that only tells where a member is does not,
   *     so that it may come between those that a recovery brings back
   */
  public boolean entryDone() {
    if (counts) {
      served.count();
    }
    return counts;
  }

  /** Mode lazy: entries that clients have seen the effect of may be missing before this place. */
  public void entriesMayBeMissing() {
    served.recover();
  }

  /**
   * What mode lazy keeps of the leader that served last.
   *
   * @param term 0 when none has served
   * @param entries how many of its entries this state has
   * @param recovering whether clients may have seen the effect of more of them
   */
  public record Served(long term, String member, long entries, boolean recovering) {}

  /** The leader that served last, in mode lazy. */
  public Served served() {
    return new Served(served.term(), served.member(), served.entries(), served.recovering());
  }

  void restoreServed(ServedTerm restored) {
    served = restored;
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
    TransactionTable table = transactions.table();
    return new Counts(
        table.count(),
        table.preparedCount(),
        sequences.count(),
        nodes.count(),
        sessions.count(),
        transactions.gxids().next());
  }

  /** The counters of transactions, without any of them. */
  public TransactionReply.TransactionList counters() {
    return transactions.counters(List.of());
  }

  /** How many gxids may still be given before begins are refused; negative when they are. */
  public long gxidsUntilStop() {
    return transactions.gxids().stopAt(limits) - transactions.gxids().next();
  }

  /** How many gxids may still be given before warnings start. */
  public long gxidsUntilWarning() {
    return transactions.gxids().warnAt(limits) - transactions.gxids().next();
  }

  TransactionRules transactions() {
    return transactions;
  }

  SequenceTable sequences() {
    return sequences;
  }

  NodeRegistry nodes() {
    return nodes;
  }

  SessionTable sessions() {
    return sessions;
  }

  BarrierLog barriers() {
    return barriers;
  }

  MemberTable members() {
    return members;
  }
}

package io.mgtm.gtm.node.engine;

import io.mgtm.group.Durability;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandType;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.node.engine.EntryCollector.GatewayId;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.ServedTerm;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a leader of mode lazy does beyond that of other modes: before it serves, it takes in what
 * gateways have and it lacks; while it serves, it gives gateways what its replies rest on. See
 * docs/replication.md, "Replies that rest on nothing yet". Owner thread.
 *
 * <p>Invariant: while a recovery is under way nothing is given out, and no session is attached.
 */
public final class LazyLeader extends LeaderMode {
  private static final Logger log = LoggerFactory.getLogger(LazyLeader.class);

  /**
   * What waits for the end of a recovery; gateways send 16 KiB of a session before it is attached.
   */
  private static final int QUEUED_MAX = 65_536;

  /** Lets a task run on the owner thread after a while. */
  public interface Timer {
    void after(int delayMs, Runnable task);
  }

  /**
   * What can be set.
   *
   * @param waitMs how long a new leader waits for gateways that may know more
   */
  public record Settings(int waitMs, Timer timer) {}

  private final Settings settings;
  private final String member;
  private final GtmStateMachine machine;
  private final EngineTime time;
  private final EntryTrail trail = new EntryTrail();

  /** Output that must not be lost with this node. */
  private final PendingReplies heldUntilStable;

  private List<LinkWork> queued = new ArrayList<>();

  /** Not null while gateways are waited for. */
  private EntryCollector collector;

  /** Not null from the end of the waiting on, until the entries are in the log. */
  private EntryCollector.Result result;

  private int replayed;
  private Set<GatewayId> lost = Set.of();
  private long beganMs;

  LazyLeader(
      EngineSetup setup, GtmStateMachine machine, ReplicatedLog replicated, EngineParts parts) {
    super(replicated, parts.metrics());
    this.heldUntilStable = new PendingReplies(parts.metrics(), replicated::mayAnswer);
    this.time = parts.time();
    this.settings = setup.recovery();
    this.member = setup.member();
    this.machine = machine;
  }

  @Override
  boolean isRecovering() {
    return collector != null || result != null;
  }

  /** When clients may have seen more than this member knows, gateways are waited for. */
  @Override
  void leading(Runnable timeIsUp) {
    following();
    GtmState state = machine.state();
    ServedTerm served = state.served();
    if (!served.recovering()) {
      return;
    }
    Set<GatewayId> gateways = new HashSet<>();
    for (GtmState.GatewayInfo session : state.gateways()) {
      boolean diedWithIt =
          session.kind() == GatewayKind.NODE && session.gateway().equals(served.member());
      if (!diedWithIt) {
        gateways.add(new GatewayId(session.gateway(), session.kind()));
      }
    }
    log.info(
        "{} served up to term {}, and {} of its entries are here; asking {} gateways for more",
        served.member(),
        served.term(),
        served.entries(),
        gateways.size());
    beganMs = time.nowMs();
    collector = new EntryCollector(served.term(), served.entries(), gateways);
    EntryCollector waiting = collector;
    settings
        .timer()
        .after(
            settings.waitMs(),
            () -> {
              if (collector == waiting) {
                endWaiting();
                timeIsUp.run();
              }
            });
  }

  @Override
  void following() {
    collector = null;
    result = null;
    trail.end();
    lost = Set.of();
    queued = new ArrayList<>();
  }

  @Override
  Collection<LinkWork> take(Collection<LinkWork> works) {
    List<LinkWork> refused = new ArrayList<>(0);
    for (LinkWork work : works) {
      if (work instanceof LinkWork.Present present) {
        if (collector != null) {
          collector.present(idOf(present.peer()), present.entries());
        }
        continue;
      }
      if (collector != null
          && work instanceof LinkWork.Attach attach
          && attach.peer().version() >= LinkFormat.VERSION_ENTRIES
          && machine.state().hasSession(attach.session())) {
        // One of the same name that was restarted has nothing of what its former process had.
        collector.heard(idOf(attach.peer()));
      }
      if (queued.size() < QUEUED_MAX || work instanceof LinkWork.Gone) {
        queued.add(work);
      } else {
        refused.add(work);
      }
    }
    return refused;
  }

  private static GatewayId idOf(GatewayPeer peer) {
    return new GatewayId(peer.gateway(), peer.kind());
  }

  @Override
  boolean isRecovered() {
    if (collector != null && collector.isComplete()) {
      endWaiting();
    }
    if (result == null) {
      return collector == null;
    }
    for (; replayed < result.entries().size(); replayed++) {
      if (!replicated.hasRoom(EntryWriter.ENTRY_BYTES_MAX)) {
        log.warn("What gateways have of it cannot be stored: {}", replicated.noRoomReason());
        return false;
      }
      ByteBuffer entry = ByteBuffer.wrap(result.entries().get(replayed));
      machine.apply(replicated.lastIndex() + 1, entry.duplicate());
      replicated.append(entry, Durability.REQUIRED);
    }
    lost = result.lost();
    log.info(
        "{} entries came from gateways in {} ms; {}",
        replayed,
        time.nowMs() - beganMs,
        lost.isEmpty() ? "nothing is missing" : "what others may have seen is skipped: " + lost);
    result = null;
    return true;
  }

  private void endWaiting() {
    if (collector.contradictedAt() > 0) {
      log.error(
          "Two gateways have different bytes of entry {}: report it; their sessions end",
          collector.contradictedAt());
    }
    result = collector.finish();
    collector = null;
    replayed = 0;
  }

  /**
   * {@inheritDoc} It does so in an entry of its own: that of a member which has lost nothing, or
   * has it back, or skips it.
   */
  @Override
  boolean serve(long term, EntryAppender entry, GatewaySessions sessions) {
    if (!replicated.hasRoom(EntryWriter.ENTRY_BYTES_MAX)) {
      return false;
    }
    entry.begin();
    if (!lost.isEmpty()) {
      entry.apply(new SessionCommand.SkipAhead(0));
      for (GtmState.GatewayInfo session : machine.state().gateways()) {
        if (lost.contains(new GatewayId(session.gateway(), session.kind()))) {
          sessions.end(session);
        }
      }
      lost = Set.of();
    }
    entry.apply(new SessionCommand.ServeTerm(term, member));
    trail.begin(term);
    entry.finish();
    return true;
  }

  @Override
  List<LinkWork> takeQueued() {
    List<LinkWork> waiting = queued;
    queued = new ArrayList<>();
    return waiting;
  }

  /** One that keeps nothing is refused. */
  @Override
  boolean refuses(LinkWork.Attach work, BatchOutput output) {
    if (work.peer().version() >= LinkFormat.VERSION_ENTRIES) {
      return false;
    }
    output.refuse(
        work.peer(),
        work.session(),
        RefusalCode.PROTOCOL,
        "the group's mode is lazy, and this gateway keeps no entries",
        "Upgrade it.");
    return true;
  }

  @Override
  void gone(GatewayPeer peer) {
    trail.forget(peer);
  }

  /** Gateways could not bring back what is not theirs. */
  @Override
  Effect effect(Command command, Effect effect) {
    return command.type() == CommandType.NUMBERED ? effect : Effect.FORCED;
  }

  @Override
  void appended(long index, ByteBuffer entry) {
    trail.appended(index, machine.state().served().entries(), entry);
  }

  @Override
  int pendingReplies() {
    return super.pendingReplies() + heldUntilStable.size();
  }

  /**
   * What goes to this node's own gateway would be lost with it, and so waits until it is stable.
   */
  @Override
  void hold(
      BatchOutput output,
      long index,
      long readIndex,
      List<Runnable> then,
      ServedCommands commands,
      long nanos) {
    BatchOutput own = output.takeOwn();
    if (!own.isEmpty() || !then.isEmpty()) {
      heldUntilStable.add(own, index, readIndex, then, new ServedCommands(), nanos);
    }
    super.hold(output, index, readIndex, List.of(), commands, nanos);
  }

  @Override
  void release() {
    super.release();
    heldUntilStable.release(replicated.stableIndex(), replicated.confirmedReadIndex(), this::rests);
  }

  @Override
  long releasable(long committed) {
    long stable = replicated.stableIndex();
    trail.stable(replicated.sharedIndex());
    if (trail.isTooLong()) {
      trail.stable(stable);
    }
    return trail.isTooLong() ? Math.min(committed, stable) : committed;
  }

  @Override
  void rests(BatchOutput output, long index) {
    output.writeEntries(trail, index);
  }

  @Override
  void drop() {
    super.drop();
    heldUntilStable.drop();
  }
}

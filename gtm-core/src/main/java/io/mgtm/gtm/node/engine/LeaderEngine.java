package io.mgtm.gtm.node.engine;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StatePicture;
import io.mgtm.group.member.OpenLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of a member that leads, in the modes with a leader: it applies commands, appends those
 * that changed something as one entry, if it fits, and holds the replies until the log covers them.
 * Owner thread.
 *
 * <p>Invariants: nothing is applied while this node does not lead; what is applied in a batch is
 * appended in it; output leaves once the entries up to the batch's end are committed and, when the
 * batch appended none, the leader was confirmed after it; what has not left when the leadership
 * ends never leaves.
 */
public final class LeaderEngine extends LinkEngine {
  private static final Logger log = LoggerFactory.getLogger(LeaderEngine.class);

  /** Replies of one batch to one link, about; what it asks beyond waits for the next. */
  static final int TURN_BYTES_MAX = 4 << 20;

  private final GtmStateMachine machine;
  private final ReplicatedLog replicated;
  private final EntryAppender entry;
  private final FirstEntries first;
  private final SessionWatch watch;
  private final GatewaySessions sessions;
  private final LeaderYield yielding;
  private final LeaderMode mode;

  private boolean leads;
  private boolean serving;

  /** An engine of a member that does not lead. */
  public LeaderEngine(
      EngineSetup setup, GtmStateMachine machine, ReplicatedLog replicated, EngineParts parts) {
    super(setup, parts);
    this.machine = machine;
    this.replicated = replicated;
    this.yielding = new LeaderYield(setup.handOver());
    this.mode =
        replicated.acknowledgesEarly()
            ? new LazyLeader(setup, machine, replicated, parts)
            : new LeaderMode(replicated, parts.metrics());
    this.entry = new EntryAppender(machine, replicated, parts.time().micros(), mode);
    this.first = new FirstEntries(setup, entry, machine, replicated);
    this.watch = new SessionWatch(setup.graceMs());
    this.sessions =
        new GatewaySessions(machine, entry, watch, replies.backupViews(), setup.sessionsMax());
  }

  @Override
  public boolean isServing() {
    return serving && !isStopped();
  }

  @Override
  public boolean takesGateways() {
    return (serving && !yielding.isYielding()) || (leads && mode.isRecovering());
  }

  @Override
  public int attachedSessions() {
    return watch.attachedCount();
  }

  @Override
  public int pendingReplies() {
    return mode.pendingReplies();
  }

  @Override
  public boolean decides() {
    return serving;
  }

  /** Hands the leadership to the member whose log is farthest; false when there is none to ask. */
  @Override
  public boolean handOver(OpenLog group) {
    return serving && group.handOver().isPresent();
  }

  @Override
  public boolean isNeeded(OpenLog group) {
    // Its vote may be needed again until the next leader is heard.
    return serving || group.status().leader().isEmpty();
  }

  @Override
  public void leading() {
    leads = true;
    first.restart();
    watch.clear();
    mode.leading(this::askBatch);
    if (mode.isRecovering()) {
      tellAddress(); // so that the gateways inside other members can bring what they have
    }
    begin();
  }

  /**
   * The first entry of a leader tells where it is; that of a new group starts the gxids. Without
   * room nothing is served, and it is tried again.
   */
  private void begin() {
    if (!replicated.hasRoom(EntryWriter.ENTRY_BYTES_MAX)) {
      log.warn("This member leads and cannot begin to serve: {}", replicated.noRoomReason());
      return;
    }
    if (!mode.isRecovered()) {
      return;
    }
    if (!first.append()) {
      resume();
      return;
    }
    machine.state().setLimits(setup.limits());
    if (!mode.serve(setup.leadership().get().term(), entry, sessions)) {
      return;
    }
    serving = true;
    announce();
    mode.takeQueued().forEach(this::submit);
  }

  /** Tells all members, and through them all gateways, where this one is. */
  @Override
  public void announce() {
    if (serving) {
      tellAddress();
    }
  }

  private void tellAddress() {
    String address = setup.address().get();
    if (!address.isEmpty() && replicated.hasRoom(EntryWriter.ENTRY_BYTES_MAX)) {
      entry.begin();
      entry.apply(new SessionCommand.AnnounceMember(setup.member(), address));
      entry.finish();
    }
  }

  /** What waits for the log will never be acknowledged by this member. */
  @Override
  public void following() {
    leads = false;
    serving = false;
    yielding.clear();
    refuse(mode.takeQueued());
    mode.following();
    mode.drop();
    watch.clear();
    replies.changed();
    refuse(stalled.takeAll());
    machine.state().setLimits(Limits.NONE);
  }

  @Override
  protected boolean wantsBatch() {
    return leads && first.wantsBatch();
  }

  @Override
  protected void batch(Deque<LinkWork> works) {
    if (serving) {
      serve(works);
    } else if (takesGateways()) {
      refuse(mode.take(works));
      begin();
    } else {
      refuse(works);
      if (wantsBatch()) {
        begin();
      }
    }
    works.clear();
  }

  /** Nothing of it was done. */
  private void refuse(Collection<LinkWork> works) {
    turnAway(works);
    for (LinkWork work : works) {
      if (work instanceof LinkWork.Gone ended) {
        gone(ended.peer());
      }
    }
  }

  private void gone(GatewayPeer peer) {
    watch.gone(peer, nowMs());
    stalled.gone(peer);
    replies.gone(peer);
    mode.gone(peer);
  }

  private void serve(Deque<LinkWork> works) {
    long nanos = System.nanoTime();
    BatchOutput output = new BatchOutput();
    List<Runnable> then = new ArrayList<>(0);
    ServedCommands served = new ServedCommands();
    long before = replicated.lastIndex();
    entry.begin();
    if (entry.hasRoom()) {
      yielding.clear();
    } else if (yielding.noRoom(nowMs())) {
      refuse(works);
      return;
    }
    try {
      for (LinkWork work : works) {
        if (stalled.isBehind(work)) {
          stalled.add(work);
        } else if (work instanceof LinkWork.Commands c) {
          commands(c, output, served);
        } else if (work instanceof LinkWork.Attach attach) {
          if (!mode.refuses(attach, output)) {
            sessions.attach(attach, output);
          }
        } else if (work instanceof LinkWork.Close close) {
          sessions.close(close, nowMs());
        } else if (work instanceof LinkWork.Gone gone) {
          gone(gone.peer());
        } else if (work instanceof LinkWork.Copy copy) {
          copy(copy, then);
        }
      }
      entry.finish();
    } catch (RuntimeException | Error e) {
      output.drop();
      throw e;
    }
    if (!output.isEmpty() || !then.isEmpty()) {
      hold(output, replicated.lastIndex() > before, then, served, nanos);
    }
  }

  /** An entry of this batch, once committed, confirms the leader as well as a read index does. */
  private void hold(
      BatchOutput output,
      boolean appended,
      List<Runnable> then,
      ServedCommands commands,
      long nanos) {
    long readIndex = appended ? 0 : replicated.confirm();
    mode.hold(output, replicated.lastIndex(), readIndex, then, commands, nanos);
    release();
  }

  @Override
  public void committed(long index) {
    release();
  }

  @Override
  public void release() {
    mode.release();
    resume();
  }

  /** Does as many as the link takes; the others wait until it takes more. */
  private void commands(LinkWork.Commands work, BatchOutput output, ServedCommands served) {
    GatewayPeer peer = work.peer();
    SessionWatch.Attachment attachment = watch.of(work.session());
    if (attachment == null || attachment.peer != peer) {
      refuseToServe(output, peer, work.session());
      return;
    }
    String disorder = work.disorder(attachment.next);
    if (disorder != null) {
      output.refuse(peer, work.session(), RefusalCode.PROTOCOL, disorder, "");
      watch.gone(peer, nowMs());
      peer.disconnect();
      return;
    }
    ByteBuf out = output.to(peer);
    boolean proxied = machine.state().gateway(work.session()).proxied();
    replies.begin(peer, out, work.session(), work.first(), proxied);
    int count = work.commands().size();
    int done = 0;
    while (done < count && out.readableBytes() < TURN_BYTES_MAX) {
      LinkCommand next = work.commands().get(done);
      command(work, work.first() + done, next);
      served.add(next.command());
      done++;
    }
    replies.end();
    attachment.next = work.first() + done;
    if (done < count) {
      stalled.add(work.from(done));
    }
  }

  private void command(LinkWork.Commands work, long number, LinkCommand command) {
    Command inner = command.command();
    if (inner.type().query()) {
      replies.query(number, command.backend(), inner, machine.state());
      return;
    }
    // Without room one that had its effect before is answered all the same.
    Reply reply =
        entry.hasRoom()
            ? entry.apply(new SessionCommand.Numbered(work.session(), number, work.acked(), inner))
            : machine.state().replied(work.session(), number);
    if (reply == null) {
      replies.refuseForRoom(number, command.backend(), replicated.noRoomReason());
    } else {
      replies.reply(number, command.backend(), inner, reply);
    }
  }

  private void copy(LinkWork.Copy work, List<Runnable> then) {
    entry.finish();
    long index = replicated.lastIndex();
    StatePicture state = machine.picture();
    entry.begin();
    then.add(() -> work.answer().copied(index, state));
  }

  /** Called now and then: ends sessions without a link, and begins to serve once there is room. */
  @Override
  public void tick() {
    if (isStopped() || !leads) {
      return;
    }
    if (!serving) {
      begin();
      return;
    }
    replies.lists().tick(nowMs());
    if (yielding.isYielding() && replicated.hasRoom(EntryWriter.ENTRY_BYTES_MAX)) {
      yielding.clear();
    }
    List<GtmState.GatewayInfo> expired = watch.expired(machine.state().gateways(), nowMs());
    if (!expired.isEmpty() && replicated.hasRoom(EntryWriter.ENTRY_BYTES_MAX)) {
      entry.begin();
      expired.forEach(sessions::end);
      entry.finish();
    }
  }

  @Override
  protected void stopped() {
    serving = false;
    mode.drop();
  }
}
